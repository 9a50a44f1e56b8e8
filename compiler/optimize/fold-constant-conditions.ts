/** Works out, with the interpreter, what conditions that read nothing come to; a row whose condition is true needs none. */
import { EvalError } from "../../runtime/cel/error.ts";
import { evaluate } from "../../runtime/cel/evaluate/evaluate.ts";
import { Timestamp } from "../../runtime/cel/value.ts";
import type { Condition } from "../../runtime/decide/condition.ts";
import { isConstant } from "../cel/constant.ts";
import type { DecisionTable, Row } from "../table/table.ts";

/** Folds the conditions of rows. What would be evaluated before a constant stays, because its errors are reported. */
export const foldConstantConditions = (table: DecisionTable): DecisionTable => ({
  ...table,
  units: table.units.map((unit) => ({
    ...unit,
    scopes: unit.scopes.map((scope) => ({ ...scope, rows: scope.rows.map(foldRow) })),
  })),
});

function foldRow(row: Row): Row {
  if (row.condition === undefined) return row;
  const condition = fold(row.condition);
  const { condition: _, ...unconditional } = row;
  return outcome(condition) === true ? unconditional : condition === row.condition ? row : { ...row, condition };
}

function fold(condition: Condition): Condition {
  if (condition.kind === "expression") return foldExpression(condition);
  const parts = condition.of.map(fold);
  // `all` stops at the first false, `any` and `none` at the first true: nothing behind it is ever evaluated.
  const stop = condition.kind !== "all";
  const kept: Condition[] = [];
  for (const part of parts) {
    const known = outcome(part);
    if (known === !stop) continue;
    kept.push(part);
    if (known === stop) break;
  }
  const [first] = kept;
  if (first === undefined) return constant(condition.kind !== "any");
  if (outcome(first) === stop) return constant(condition.kind === "any");
  if (kept.length === 1 && condition.kind !== "none") return first;
  const changed = kept.length !== condition.of.length || kept.some((part, at) => part !== condition.of[at]);
  return changed ? { kind: condition.kind, of: kept } : condition;
}

const constant = (value: boolean): Condition => ({
  kind: "expression",
  expression: { text: String(value), tree: { kind: "literal", value, id: 1, start: 0, end: 0 } },
});

const outcome = (condition: Condition): boolean | undefined =>
  condition.kind === "expression" && condition.expression.tree.kind === "literal" && typeof condition.expression.tree.value === "boolean"
    ? condition.expression.tree.value
    : undefined;

function foldExpression(condition: Condition & { readonly kind: "expression" }): Condition {
  const { text, tree } = condition.expression;
  if (tree.kind === "literal" || !isConstant(tree)) return condition;
  const value = evaluate(tree, () => undefined, { now: new Timestamp(0, 0) });
  if (value instanceof EvalError) return condition;
  // A leaf that is no boolean is false.
  return {
    kind: "expression",
    expression: { text, tree: { kind: "literal", value: value === true, id: tree.id, start: tree.start, end: tree.end } },
  };
}
