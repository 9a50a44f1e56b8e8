/** Type-checks expressions by the rules of cel-go: infers types, resolves names, and reports errors. */
import type { Expression, List, Logic, MapLiteral, Select, Struct } from "../../runtime/cel/ast.ts";
import { unreachable } from "../../runtime/cel/error.ts";
import { bool, bytes, double, dyn, errorType, int, nullType, string, uint, type Type } from "../../runtime/cel/type.ts";
import { Uint } from "../../runtime/cel/value.ts";
import { checkCall } from "./check-call.ts";
import { checkLiterals } from "./check-literal.ts";
import { checkBind, checkLoop, checkOptionalMap } from "./check-macro.ts";
import { findLocal, type Checker, type Scope, type Typed } from "./checker.ts";
import { noFields, notAMessage, notBool, notOptional, undeclared, undefinedField } from "./type-errors.ts";
import type { Environment } from "./environment.ts";
import { maximumIssues, type Issue } from "./issue.ts";
import { candidates, qualifiedName, rootName } from "./names.ts";
import {
  assign,
  freshVariable,
  insideOptional,
  isDynamicOrError,
  listType,
  mapType,
  moreGeneral,
  openUnifier,
  optionalType,
  substitute,
} from "./unify.ts";

/** The result of checking one expression. */
export interface CheckResult {
  /** The expression with each qualified name as one identifier, and namespaced functions as calls without target. */
  readonly tree: Expression;
  readonly type: Type;
  /** The type of every node, by id. */
  readonly types: ReadonlyMap<number, Type>;
  /** For every call, by id, the ids of the overloads it may use. */
  readonly overloads: ReadonlyMap<number, readonly string[]>;
  /** In source order. */
  readonly issues: readonly Issue[];
}

/** Checks one expression in an environment. */
export function check(tree: Expression, environment: Environment): CheckResult {
  const issues: Issue[] = [];
  const unifier = openUnifier();
  const types = new Map<number, Type>();
  const overloads = new Map<number, readonly string[]>();
  const checker: Checker = {
    root: tree,
    environment,
    unifier,
    types,
    overloads,
    report: (issue) => void (issues.length < maximumIssues && issues.push(issue())),
    visit: (node, scope) => {
      const typed = checkNode(checker, node, scope);
      types.set(node.id, typed.type);
      return typed;
    },
  };
  const root = checker.visit(tree, undefined);
  for (const [id, type] of types) types.set(id, substitute(unifier, type, dyn));
  checkLiterals(root.tree, types, overloads, checker.report);
  return {
    tree: root.tree,
    type: types.get(tree.id) ?? root.type,
    types,
    overloads,
    issues: issues.toSorted((a, b) => a.start - b.start),
  };
}

function checkNode(checker: Checker, tree: Expression, scope: Scope | undefined): Typed {
  switch (tree.kind) {
    case "literal":
      return { tree, type: literalType(tree.value) };
    case "identifier":
      return checkIdentifier(checker, tree, scope);
    case "select":
      return checkSelect(checker, tree, scope);
    case "call":
      return checkCall(checker, tree, scope);
    case "logic":
      return checkLogic(checker, tree, scope);
    case "list":
      return checkList(checker, tree, scope);
    case "map":
      return checkMap(checker, tree, scope);
    case "struct":
      return checkStruct(checker, tree, scope);
    case "loop":
      return checkLoop(checker, tree, scope);
    case "bind":
      return checkBind(checker, tree, scope);
    case "optionalMap":
      return checkOptionalMap(checker, tree, scope);
    default:
      return unreachable(tree);
  }
}

function literalType(value: null | boolean | bigint | number | string | Uint | Uint8Array): Type {
  if (value === null) return nullType;
  if (value instanceof Uint) return uint;
  if (value instanceof Uint8Array) return bytes;
  switch (typeof value) {
    case "boolean":
      return bool;
    case "bigint":
      return int;
    case "number":
      return double;
    case "string":
      return string;
    default:
      return unreachable(value);
  }
}

/** Resolves a dotted name. A macro variable hides every declaration that starts with its name. */
function resolve(checker: Checker, tree: Expression, name: string, scope: Scope | undefined): Typed | undefined {
  const root = rootName(tree);
  const local = root === undefined ? undefined : findLocal(scope, root);
  if (local !== undefined) return tree.kind === "identifier" ? { tree, type: local } : undefined;
  for (const candidate of candidates(checker.environment.container, name)) {
    const type = checker.environment.variable(candidate);
    if (type === undefined) continue;
    const { id, start, end } = tree;
    return { tree: { kind: "identifier", name: candidate, ...(name.startsWith(".") && { absolute: true }), id, start, end }, type };
  }
  return undefined;
}

function checkIdentifier(checker: Checker, tree: Expression & { readonly kind: "identifier" }, scope: Scope | undefined): Typed {
  const found = resolve(checker, tree, tree.absolute === true ? `.${tree.name}` : tree.name, scope);
  if (found !== undefined) return found;
  checker.report(() => undeclared(checker, tree, scope));
  return { tree, type: errorType };
}

function checkSelect(checker: Checker, tree: Select, scope: Scope | undefined): Typed {
  const name = qualifiedName(tree);
  const resolved = name === undefined ? undefined : resolve(checker, tree, name, scope);
  if (resolved !== undefined) return resolved;
  const operand = checker.visit(tree.operand, scope);
  const type = fieldType(checker, tree, substitute(checker.unifier, operand.type));
  return { tree: { ...tree, operand: operand.tree }, type: tree.test === true ? bool : type };
}

function fieldType(checker: Checker, tree: Select, operand: Type): Type {
  const inside = insideOptional(operand);
  const of = inside ?? operand;
  const type = plainFieldType(checker, tree, of);
  // A selection from an optional yields an optional.
  return inside !== undefined || tree.optional === true ? optionalType(type) : type;
}

function plainFieldType(checker: Checker, tree: Select, of: Type): Type {
  if (of.kind === "map") return of.value;
  if (of.kind === "message") {
    const type = checker.environment.field(of.name, tree.field);
    if (type === undefined) checker.report(() => undefinedField(checker.environment, tree, of.name));
    return type ?? errorType;
  }
  // Nothing is known about a type variable, so it becomes dyn.
  if (of.kind === "parameter") assign(checker.unifier, [dyn], [of]);
  else if (!isDynamicOrError(of)) checker.report(() => noFields(checker.environment, tree, substitute(checker.unifier, of, dyn)));
  return dyn;
}

/**
 * Both sides must be bool. As in cel-go, a chain is checked pair by pair as a balanced tree, so that type variables
 * are bound in the same order.
 */
function checkLogic(checker: Checker, tree: Logic, scope: Scope | undefined): Typed {
  const visit = (terms: readonly Expression[]): readonly Typed[] => {
    if (terms.length === 1) return terms.map((term) => checker.visit(term, scope));
    const middle = Math.ceil(terms.length / 2);
    const sides = [visit(terms.slice(0, middle)), visit(terms.slice(middle))];
    for (const [term, more] of sides) if (term !== undefined && more === undefined) demandSide(checker, tree, term);
    return sides.flat();
  };
  const terms = visit(tree.terms);
  const id = tree.operator === "&&" ? "logical_and" : "logical_or";
  checker.overloads.set(tree.id, [id]);
  return { tree: { ...tree, terms: terms.map((term) => term.tree) }, type: bool };
}

function demandSide(checker: Checker, { operator }: Logic, { tree, type }: Typed): void {
  if (assign(checker.unifier, [type], [bool])) return;
  checker.report(() => notBool(tree, `a side of \`${operator}\``, substitute(checker.unifier, type, dyn)));
}

/** Returns the common type of two elements, or dyn: elements of a list may have different types. */
function join(checker: Checker, before: Type | undefined, type: Type): Type {
  if (before === undefined) return type;
  return assign(checker.unifier, [before], [type]) ? moreGeneral(before, type) : dyn;
}

/** Returns the type of an element marked `?`: that of its optional's value. */
function unwrap(checker: Checker, { tree, type }: Typed): Type {
  const known = substitute(checker.unifier, type);
  const inside = insideOptional(known);
  if (inside === undefined && !isDynamicOrError(known)) checker.report(() => notOptional(tree, substitute(checker.unifier, known, dyn)));
  return inside ?? known;
}

function checkList(checker: Checker, tree: List, scope: Scope | undefined): Typed {
  const optionals = new Set(tree.optionals);
  let joined: Type | undefined;
  const elements = tree.elements.map((element, i) => {
    const typed = checker.visit(element, scope);
    joined = join(checker, joined, optionals.has(i) ? unwrap(checker, typed) : typed.type);
    return typed.tree;
  });
  return { tree: { ...tree, elements }, type: listType(joined ?? freshVariable(checker.unifier)) };
}

function checkMap(checker: Checker, tree: MapLiteral, scope: Scope | undefined): Typed {
  let keys: Type | undefined;
  let values: Type | undefined;
  const entries = tree.entries.map((entry) => {
    const key = checker.visit(entry.key, scope);
    keys = join(checker, keys, key.type);
    const value = checker.visit(entry.value, scope);
    values = join(checker, values, entry.optional ? unwrap(checker, value) : value.type);
    return { ...entry, key: key.tree, value: value.tree };
  });
  return { tree: { ...tree, entries }, type: mapType(keys ?? freshVariable(checker.unifier), values ?? freshVariable(checker.unifier)) };
}

/** Our environments declare no message type that could be written as a literal, so this only chooses the error message. */
function checkStruct(checker: Checker, tree: Struct, scope: Scope | undefined): Typed {
  const fields = tree.fields.map((field) => ({ ...field, value: checker.visit(field.value, scope).tree }));
  checker.report(() => notAMessage(tree));
  return { tree: { ...tree, fields }, type: errorType };
}
