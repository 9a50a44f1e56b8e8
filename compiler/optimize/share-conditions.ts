/** Makes equal conditions of one policy one condition: it is emitted once, and evaluated once for a request. */
import type { Condition } from "../../runtime/decide/condition.ts";
import type { DecisionTable, ScopeTable } from "../table/table.ts";

/** Shares the conditions of rows. Rows keep caching by rule (D30): equal conditions read the same names, so they agree. */
export const shareConditions = (table: DecisionTable): DecisionTable => ({
  ...table,
  units: table.units.map((unit) => ({ ...unit, scopes: unit.scopes.map(shareWithin) })),
});

function shareWithin(scope: ScopeTable): ScopeTable {
  const known = new Map<string, Condition>();
  const rows = scope.rows.map((row) => {
    if (row.condition === undefined) return row;
    const words = JSON.stringify(wordsOf(row.condition));
    const shared = known.get(words) ?? row.condition;
    known.set(words, shared);
    return shared === row.condition ? row : { ...row, condition: shared };
  });
  return { ...scope, rows };
}

/** The author's words say all: they are compiled in one environment, and errors are reported by them. */
const wordsOf = (condition: Condition): unknown =>
  condition.kind === "expression" ? condition.expression.text : [condition.kind, ...condition.of.map(wordsOf)];
