/** Counts what expressions refer to: how often a variable is read, and whether the derived roles are. */
import type { Expression } from "../../runtime/cel/ast.ts";

/** The parts of an expression, and whether each may be evaluated more than once. */
export function parts(expression: Expression): readonly (readonly [part: Expression, repeated: boolean])[] {
  const once = (part: Expression): readonly [Expression, boolean] => [part, false];
  switch (expression.kind) {
    case "literal":
    case "identifier":
      return [];
    case "select":
      return [once(expression.operand)];
    case "call":
      return [...(expression.target === undefined ? [] : [once(expression.target)]), ...expression.args.map(once)];
    case "logic":
      return expression.terms.map(once);
    case "list":
      return expression.elements.map(once);
    case "map":
      return expression.entries.flatMap(({ key, value }) => [once(key), once(value)]);
    case "struct":
      return expression.fields.map(({ value }) => once(value));
    case "bind":
      return [once(expression.init), once(expression.body)];
    case "optionalMap":
      return [once(expression.target), once(expression.body)];
    case "loop":
      return [
        once(expression.range),
        [expression.body, true],
        ...(expression.filter === undefined ? [] : [[expression.filter, true] as const]),
      ];
  }
}

/** Adds up how often each variable is read; a read inside a loop counts twice, for it may be made many times. */
export function countVariables(expression: Expression, counts: Map<string, number>, repeated = false): void {
  const name = variableNamed(expression);
  if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + (repeated ? 2 : 1));
  for (const [part, again] of parts(expression)) countVariables(part, counts, repeated || again);
}

/** The variable that an expression reads, if it is `V.name` or `variables.name`. */
export const variableNamed = (expression: Expression): string | undefined =>
  expression.kind === "select" && expression.operand.kind === "identifier" && variableRecords.has(expression.operand.name)
    ? expression.field
    : undefined;

const variableRecords: ReadonlySet<string> = new Set(["V", "variables"]);

/** Whether an expression takes V as one value, anywhere. */
export const takesVariables = (expression: Expression): boolean =>
  (expression.kind === "identifier" && variableRecords.has(expression.name)) ||
  (variableNamed(expression) === undefined && parts(expression).some(([part]) => takesVariables(part)));

/** Whether an expression names a record, anywhere. */
export const mentions = (expression: Expression, name: string): boolean =>
  (expression.kind === "identifier" && expression.name === name) || parts(expression).some(([part]) => mentions(part, name));
