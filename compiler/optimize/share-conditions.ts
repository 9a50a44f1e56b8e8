/** Makes equal conditions of one policy one condition: it is emitted once, and evaluated once for a request. */
import type { Condition } from "../../runtime/decide/condition.ts";
import type { DecisionTable, Row } from "../table/table.ts";
import { changed, withRows } from "./rows.ts";

/** Shares the conditions of rows. Rows keep caching by rule (D30): equal conditions read the same names, so they agree. */
export const shareConditions = (table: DecisionTable): DecisionTable => withRows(table, ({ rows }) => shareWithin(rows));

function shareWithin(rows: readonly Row[]): readonly Row[] {
  const known = new Map<string, Condition>();
  return changed(rows, (row) => {
    if (row.condition === undefined) return row;
    const words = wordsOf(row.condition);
    const shared = known.get(words);
    if (shared === undefined) {
      known.set(words, row.condition);
      return row;
    }
    // Only the condition is shared: what a row tells is its own.
    return shared === row.condition ? row : { ...row, condition: shared };
  });
}

/** The author's words say all: they are compiled in one environment, and errors are reported by them. */
const wordsOf = (condition: Condition): string => JSON.stringify(partsOf(condition));

/** Lists in lists, put into words once: words within words would grow twofold with each. */
const partsOf = (condition: Condition): Parts =>
  condition.kind === "expression" ? condition.expression.text : [condition.kind, condition.of.map(partsOf)];

type Parts = string | readonly [kind: string, of: readonly Parts[]];
