/** Emits the variables of a policy or derived role, and determines how expressions read them. */
import type { Expression } from "../../runtime/cel/ast.ts";
import type { WhenFailed } from "../../runtime/decide/condition.ts";
import { childrenOf } from "../cel/children.ts";
import type { Definitions } from "../link/policy-set.ts";
import { type Code, js, list, newName, quoted } from "./code.ts";
import { expressions } from "./expression.ts";
import { constantCode } from "./literal.ts";
import { countVariables, mentions, readsVariable, takesVariables, variableNamed } from "./references.ts";
import { type PolicyDefinitions, type EmitContext, type VariableUse, arrow, atom, openFrame } from "./context.ts";
import { shareReads } from "./forms/shared-reads.ts";
import { join } from "./value-type.ts";
import type { UnitWriter } from "./unit-writer.ts";

/** How expressions read V and C. */
export interface EmittedDefinitions {
  readonly definitions: PolicyDefinitions;
  /** Whether no variable can be an error. */
  readonly cannotFail: boolean;
}

/**
 * Emits variables that are read more than once, or loop, as functions whose results the query caches. Other variables
 * are inlined, which is sound because an error occurs again at each use. If `failed` is null, a failed variable is
 * null.
 */
export function emitDefinitions(
  names: Definitions,
  uses: Iterable<Expression>,
  failed: WhenFailed,
  unit: UnitWriter,
  where: () => string,
): EmittedDefinitions {
  const counts = new Map<string, number>();
  for (const use of uses) countVariables(use, counts);
  for (const { expression } of names.variables) countVariables(expression.tree, counts);

  // Values that depend on derived roles differ from scope to scope, and between listing roles and matching rules.
  const ofRoles = new Set<string>();
  const known = new Map<string, VariableUse>();
  const depths = new Map<string, number>();
  let cannotFail = true;
  const definitions: PolicyDefinitions = {
    constants: new Map(names.constants.map(({ name, value }) => [name, value])),
    variable: (name) => known.get(name),
    // Built once: a message equals only itself.
    allConstants: cachedBy(
      () => 0,
      () => {
        const entries = names.constants.map(({ name, value }) => js`[${quoted(name)}, ${constantCode(value)}]`);
        return js`${unit.factory.hoist("constants", js`rt.record("constants", [${list(entries)}])`)}`;
      },
    ),
    // A variable that uses V as a whole sees the variables before it.
    allVariables: cachedBy(
      () => known.size,
      () => {
        const frame = openFrame();
        const at: EmitContext = { ...unit.contextFor(definitions), frame };
        const entries = names.variables.map(({ name }) => js`[${quoted(name)}, ${read(known.get(name), at)}]`);
        const record = js`rt.record("variables", [${list(entries)}])`;
        return unit.declareCached(newName("variables"), arrow([js`q`], frame, record), () => "V", ofRoles.size > 0);
      },
    ),
  };
  // For finding out properties of an expression: its declarations are discarded.
  const asking: PolicyDefinitions = { ...definitions, allConstants: () => js`undefined`, allVariables: () => js`undefined` };

  for (const variable of names.variables) {
    const { tree } = variable.expression;
    // Under strict evaluation the derived roles may be unknown (semantics 5.3); reading them is then an error.
    const mayFail = mentions(tree, "runtime");
    if (mayFail || readsVariable(tree, ofRoles)) ofRoles.add(variable.name);
    const depth = levels(tree, depths);
    const inScope = (at: EmitContext): EmitContext => ({ ...at, definitions, locals: new Map() });
    // A variable that uses V as a whole must not be inlined: it would see itself.
    if (depth < deepest && !takesVariables(tree) && ((counts.get(variable.name) ?? 0) <= 1 ? !loops(tree) : isCheap(tree))) {
      depths.set(variable.name, depth);
      const probe = expressions.value(tree, { ...unit.contextFor(asking), factory: unit.discarding });
      cannotFail &&= probe.cannotFail && !mayFail;
      known.set(variable.name, { kind: "inline", failed, expression: tree, contextAt: inScope });
      continue;
    }
    const frame = openFrame();
    const value = expressions.value(tree, shareReads([tree], { ...unit.contextFor(definitions), frame }, expressions));
    cannotFail &&= value.cannotFail && !mayFail;
    const call = unit.declareCached(
      newName(variable.name),
      arrow([js`q`], frame, value.code),
      () => `${where()} V.${variable.name} = ${variable.expression.text}`,
      ofRoles.has(variable.name),
    );
    const emitted =
      failed === "null" && !value.cannotFail
        ? { code: atom(js`${call} ?? null`), type: join({ kind: "null" }, value.type), cannotFail: true }
        : { code: call, type: value.type, cannotFail: value.cannotFail };
    known.set(variable.name, { kind: "call", failed, emitted });
  }
  return { definitions, cannotFail };
}

function cachedBy<T>(key: () => number, make: () => T): () => T {
  const made = new Map<number, T>();
  return () => {
    const known = made.get(key());
    if (known !== undefined) return known;
    const value = make();
    made.set(key(), value);
    return value;
  };
}

function read(use: VariableUse | undefined, at: EmitContext): Code {
  if (use === undefined) return js`undefined`;
  if (use.kind === "call") return use.emitted.code;
  const { code } = expressions.value(use.expression, use.contextAt(at));
  return use.failed === "null" ? atom(js`${code} ?? null`) : code;
}

/** The deepest nesting of inlined variables, so that emitting needs a bounded stack. */
const deepest = 64;

/**
 * The steps of a variable's loops are counted separately from those of the condition that reads it (D46), so a
 * variable that loops is not inlined.
 */
const loops = (expression: Expression): boolean => expression.kind === "loop" || childrenOf(expression).some(loops);

/** Reading an attribute costs no more than reading a cached value. */
function isCheap(expression: Expression): boolean {
  if (expression.kind === "literal" || expression.kind === "identifier") return true;
  return expression.kind === "select" && variableNamed(expression) === undefined && expression.test !== true && isCheap(expression.operand);
}

/** The nesting depth of an expression, including the variables inlined in it. */
function levels(expression: Expression, variables: ReadonlyMap<string, number>): number {
  const name = variableNamed(expression);
  let below = name === undefined ? 0 : (variables.get(name) ?? 0);
  for (const part of childrenOf(expression)) below = Math.max(below, levels(part, variables));
  return 1 + below;
}
