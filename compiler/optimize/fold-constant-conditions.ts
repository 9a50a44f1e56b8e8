/** Evaluates constant conditions at compile time. A row that always applies then needs no condition. */
import { EvalError } from "../../runtime/cel/error.ts";
import { evaluate } from "../../runtime/cel/evaluate/evaluate.ts";
import { Timestamp } from "../../runtime/cel/value.ts";
import type { Condition } from "../../runtime/decide/condition.ts";
import { isConstant } from "../cel/constant.ts";
import type { DecisionTable, Row } from "../table/table.ts";
import { changed, withRows } from "./rows.ts";

/** Folds the conditions of rows. Whatever would be evaluated before a constant stays, because its errors are reported. */
export const foldConstantConditions = (table: DecisionTable): DecisionTable =>
  withRows(table, (scope, type) => changed(scope.rows, (row) => foldRow(row, type === "role")));

function foldRow(row: Row, ofRolePolicy: boolean): Row {
  if (row.condition === undefined) return row;
  const condition = fold(row.condition);
  // A row of a role policy with neither condition nor output is ignored, so it must keep one of the two.
  const counts = !ofRolePolicy || row.output?.met !== undefined;
  if (outcome(condition) === (row.unless !== true) && counts) return withoutCondition(row);
  return condition === row.condition ? row : { ...row, condition };
}

/** Returns a row that always applies. It drops the output for an unmet condition, which can no longer occur. */
function withoutCondition(row: Row): Row {
  const { condition: _condition, unless: _unless, output, ...unconditional } = row;
  return output?.met === undefined ? unconditional : { ...unconditional, output: { met: output.met } };
}

function fold(condition: Condition): Condition {
  if (condition.kind === "expression") return foldExpression(condition);
  const parts = condition.of.map(fold);
  // `all` stops at the first false, `any` and `none` at the first true: nothing after it is ever evaluated.
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
  // An expression that is not a boolean counts as false.
  return {
    kind: "expression",
    expression: { text, tree: { kind: "literal", value: value === true, id: tree.id, start: tree.start, end: tree.end } },
  };
}
