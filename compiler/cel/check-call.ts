/** Resolves the overload of a function call from the types of its arguments. */
import type { Call, Expression } from "../../runtime/cel/ast.ts";
import { dyn, errorType, type Type } from "../../runtime/cel/type.ts";
import { findLocal, type Checker, type Scope, type Typed } from "./checker.ts";
import { noOverload } from "./overload-errors.ts";
import { macroForm, unknownFunction } from "./type-errors.ts";
import type { Overload } from "./environment.ts";
import { candidates, qualifiedName, rootName } from "./names.ts";
import { assign, instantiate, isClosed, sameType, substitute } from "./unify.ts";

/** Checks a call: of an operator, of `f(x)`, of `space.f(x)` or of `x.f(y)`. */
export function checkCall(checker: Checker, tree: Call, scope: Scope | undefined): Typed {
  const space = tree.target === undefined ? undefined : qualifiedName(tree.target);
  const written = space === undefined ? tree.function : `${space}.${tree.function}`;
  // Do not check the arguments of a wrongly used macro: they may contain its variables, which are undeclared.
  if (macroForm(checker.environment, tree, written) !== undefined) return fail(checker, tree, written);
  const args = tree.args.map((argument) => checker.visit(argument, scope));
  const trees = args.map((argument) => argument.tree);
  const types = args.map((argument) => argument.type);
  if (tree.target === undefined) {
    const found = findFunction(checker, tree.function);
    if (found === undefined) return fail(checker, { ...tree, args: trees }, tree.function);
    const call: Call = { ...tree, function: found.name, args: trees };
    return choose(checker, call, found.overloads, types);
  }
  // `a.b.f(x)` is a function `a.b.f` if there is one; otherwise `f` is called on the value of `a.b`.
  const global = space === undefined ? undefined : findFunction(checker, written);
  if (global !== undefined) {
    const { target: _, ...rest } = tree;
    const call: Call = { ...rest, function: global.name, args: trees };
    return choose(checker, call, global.overloads, types);
  }
  const overloads = checker.environment.functions(tree.function);
  if (overloads.length === 0 && space !== undefined && !isValue(checker, tree.target, space, scope)) {
    return fail(checker, { ...tree, args: trees }, written);
  }
  const target = checker.visit(tree.target, scope);
  const call: Call = { ...tree, target: target.tree, args: trees };
  if (overloads.length === 0) return fail(checker, call, tree.function);
  return choose(checker, call, overloads, [target.type, ...types]);
}

/** Whether a dotted name starts with a variable; otherwise it can only be a namespace. */
function isValue(checker: Checker, tree: Expression, name: string, scope: Scope | undefined): boolean {
  const root = rootName(tree);
  if (root !== undefined && findLocal(scope, root) !== undefined) return true;
  const parts = name.split(".");
  return parts.some((_, i) =>
    candidates(checker.environment.container, parts.slice(0, i + 1).join(".")).some(
      (candidate) => checker.environment.variable(candidate) !== undefined,
    ),
  );
}

function fail(checker: Checker, tree: Call, name: string): Typed {
  checker.report(() => unknownFunction(checker.environment, tree, name));
  return { tree, type: errorType };
}

interface ResolvedFunction {
  readonly name: string;
  readonly overloads: readonly Overload[];
}

function findFunction(checker: Checker, name: string): ResolvedFunction | undefined {
  for (const candidate of candidates(checker.environment.container, name)) {
    const overloads = checker.environment.functions(candidate);
    if (overloads.length > 0) return { name: candidate, overloads };
  }
  return undefined;
}

/** Cache: whether an overload has no type parameters, as most do. */
const plain = new WeakMap<Overload, boolean>();

function isPlain(overload: Overload): boolean {
  const known = plain.get(overload);
  if (known !== undefined) return known;
  const found = isClosed(overload.result) && overload.parameters.every(isClosed);
  plain.set(overload, found);
  return found;
}

function instantiated({ unifier }: Checker, overload: Overload): Pick<Overload, "parameters" | "result"> {
  const [result = dyn, ...parameters] = instantiate(unifier, [overload.result, ...overload.parameters]);
  return { result, parameters };
}

/**
 * Finds every overload that accepts the arguments. A single one determines the result type; several with different
 * results yield dyn.
 */
function choose(checker: Checker, tree: Call, overloads: readonly Overload[], args: readonly Type[]): Typed {
  const { unifier } = checker;
  const ids: string[] = [];
  let result: Type | undefined;
  let asked = 0;
  for (const overload of overloads) {
    if (overload.receiver !== (tree.target !== undefined)) continue;
    if (overload.parameters.length !== args.length) continue;
    asked++;
    const variables = unifier.nextVariable;
    const { result: returned, parameters } = isPlain(overload) ? overload : instantiated(checker, overload);
    if (!assign(unifier, args, parameters, variables)) continue;
    ids.push(overload.id);
    const type = substitute(unifier, returned);
    result = result === undefined || sameType(result, type) ? type : dyn;
  }
  if (result !== undefined) {
    checker.overloads.set(tree.id, ids);
    const [only] = ids;
    const mayBeWrong = unifier.guessed || (asksItsFirstElement.has(tree.function) && args[0]?.kind === "list");
    const isNarrowed = mayBeWrong && ids.length === 1 && asked > 1 && only !== undefined && !hasOneMeaning(tree.function);
    return { tree: isNarrowed ? { ...tree, overload: only } : tree, type: result };
  }
  checker.report(() =>
    noOverload(
      tree,
      overloads,
      args.map((type) => substitute(unifier, type, dyn)),
    ),
  );
  return { tree, type: errorType };
}

/** These functions have an overload for each numeric element type; a list joined with a dyn may contain others. */
const asksItsFirstElement: ReadonlySet<string> = new Set(["math.least", "math.greatest"]);

/**
 * cel-go calls only the overload that its checker chose, which matters if the choice was a guess. Operators and these
 * functions have one implementation for all their overloads there, which looks at the values.
 */
const hasOneMeaning = (name: string): boolean => !/^[a-z]/i.test(name) || oneMeaning.has(name);
const oneMeaning: ReadonlySet<string> = new Set(["matchesID", "size", "sort"]);
