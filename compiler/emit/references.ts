/** Analyses references in expressions: how often a variable is read, and whether derived roles are. */
import type { Expression } from "../../runtime/cel/ast.ts";
import { childrenOf } from "../cel/children.ts";
import { recordsByName } from "../cel/records.ts";

/** Counts the reads of each variable; a read inside a loop counts twice, because it may be repeated. */
export function countVariables(expression: Expression, counts: Map<string, number>, repeated = false): void {
  const name = variableNamed(expression);
  if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + (repeated ? 2 : 1));
  for (const part of childrenOf(expression)) {
    countVariables(part, counts, repeated || (expression.kind === "loop" && part !== expression.range));
  }
}

/** The variable that an expression reads, if it is `V.name` or `variables.name`. */
export const variableNamed = (expression: Expression): string | undefined =>
  expression.kind === "select" && expression.operand.kind === "identifier" && isVariables(expression.operand.name)
    ? expression.field
    : undefined;

const isVariables = (name: string): boolean => recordsByName.get(name) === "variables";

/** Whether an expression uses V as a whole value, anywhere in it. */
export const takesVariables = (expression: Expression): boolean =>
  (expression.kind === "identifier" && isVariables(expression.name)) ||
  (variableNamed(expression) === undefined && childrenOf(expression).some(takesVariables));

/** Whether an expression reads one of these variables, by name or through V as a whole. */
export function readsVariable(expression: Expression, among: ReadonlySet<string>): boolean {
  if (among.size === 0) return false;
  const name = variableNamed(expression);
  if (name !== undefined) return among.has(name);
  if (expression.kind === "identifier" && isVariables(expression.name)) return true;
  return childrenOf(expression).some((part) => readsVariable(part, among));
}

/** Whether a name occurs in an expression. */
export const mentions = (expression: Expression, name: string): boolean =>
  (expression.kind === "identifier" && expression.name === name) || childrenOf(expression).some((part) => mentions(part, name));

/** The names in an expression that its own macros do not define. */
export function freeNames(expression: Expression): ReadonlySet<string> {
  const free = new Set<string>();
  const walk = (of: Expression, bound: ReadonlySet<string>): void => {
    if (of.kind === "identifier" && of.absolute !== true && !bound.has(of.name)) free.add(of.name);
    const inside = boundBy(of);
    for (const part of childrenOf(of)) walk(part, inside === undefined || isOutside(of, part) ? bound : new Set([...bound, ...inside]));
  };
  walk(expression, new Set());
  return free;
}

/** The variables that a macro defines. */
function boundBy(expression: Expression): readonly string[] | undefined {
  if (expression.kind === "loop") return expression.variables;
  if (expression.kind === "bind") return [expression.name];
  return expression.kind === "optionalMap" ? [expression.variable] : undefined;
}

/** Whether a part of a macro is outside the scope of its variables: the range, the bound expression, the target. */
const isOutside = (macro: Expression, part: Expression): boolean =>
  (macro.kind === "loop" && part === macro.range) ||
  (macro.kind === "bind" && part === macro.init) ||
  (macro.kind === "optionalMap" && part === macro.target);
