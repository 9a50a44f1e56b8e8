/** Counts what expressions refer to: how often a variable is read, and whether the derived roles are. */
import type { Expression } from "../../runtime/cel/ast.ts";
import { childrenOf } from "../cel/children.ts";
import { recordsByName } from "../cel/records.ts";

/** Adds up how often each variable is read; a read inside a loop counts twice, for it may be made many times. */
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

/** Says whether an expression takes V as one value, anywhere. */
export const takesVariables = (expression: Expression): boolean =>
  (expression.kind === "identifier" && isVariables(expression.name)) ||
  (variableNamed(expression) === undefined && childrenOf(expression).some(takesVariables));

/** Says whether an expression reads one of these variables, by its name or with V as one value. */
export function readsVariable(expression: Expression, among: ReadonlySet<string>): boolean {
  if (among.size === 0) return false;
  const name = variableNamed(expression);
  if (name !== undefined) return among.has(name);
  if (expression.kind === "identifier" && isVariables(expression.name)) return true;
  return childrenOf(expression).some((part) => readsVariable(part, among));
}

/** Says whether an expression has a name in it, anywhere. */
export const mentions = (expression: Expression, name: string): boolean =>
  (expression.kind === "identifier" && expression.name === name) || childrenOf(expression).some((part) => mentions(part, name));

/** The names that an expression takes from outside of its own macros. */
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

/** The names that a macro brings in. */
function boundBy(expression: Expression): readonly string[] | undefined {
  if (expression.kind === "loop") return expression.variables;
  if (expression.kind === "bind") return [expression.name];
  return expression.kind === "optionalMap" ? [expression.variable] : undefined;
}

/** Says whether a part of a macro stands outside of the names it brings in: its range, what is bound, its target. */
const isOutside = (macro: Expression, part: Expression): boolean =>
  (macro.kind === "loop" && part === macro.range) ||
  (macro.kind === "bind" && part === macro.init) ||
  (macro.kind === "optionalMap" && part === macro.target);
