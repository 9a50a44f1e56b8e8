/** Counts what expressions refer to: how often a variable is read, and whether the derived roles are. */
import type { Expression } from "../../runtime/cel/ast.ts";
import { childrenOf } from "../cel/children.ts";

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
  expression.kind === "select" && expression.operand.kind === "identifier" && variableRecords.has(expression.operand.name)
    ? expression.field
    : undefined;

const variableRecords: ReadonlySet<string> = new Set(["V", "variables"]);

/** Says whether an expression takes V as one value, anywhere. */
export const takesVariables = (expression: Expression): boolean =>
  (expression.kind === "identifier" && variableRecords.has(expression.name)) ||
  (variableNamed(expression) === undefined && childrenOf(expression).some(takesVariables));

/** Says whether an expression names a record, anywhere. */
export const mentions = (expression: Expression, name: string): boolean =>
  (expression.kind === "identifier" && expression.name === name) || childrenOf(expression).some((part) => mentions(part, name));
