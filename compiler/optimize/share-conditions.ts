/** Shares equal conditions within a policy: they are emitted once, and evaluated once per request. */
import type { Condition } from "../../runtime/decide/condition.ts";
import type { DecisionTable, Row } from "../table/table.ts";
import { changed, withRows } from "./rows.ts";

/**
 * Shares the conditions of rows. Results are still cached by rule (D30); equal conditions read the same names, so
 * their results agree.
 */
export const shareConditions = (table: DecisionTable): DecisionTable => withRows(table, ({ rows }) => shareWithin(rows));

function shareWithin(rows: readonly Row[]): readonly Row[] {
  const known = new Map<string, Condition>();
  return changed(rows, (row) => {
    if (row.condition === undefined) return row;
    const key = keyOf(row.condition);
    const shared = known.get(key);
    if (shared === undefined) {
      known.set(key, row.condition);
      return row;
    }
    // Only the condition is shared; each row keeps its own outputs.
    return shared === row.condition ? row : { ...row, condition: shared };
  });
}

/**
 * Returns the key of a condition. Its source text is enough: all are compiled in the same environment, and errors are
 * reported by source text.
 */
const keyOf = (condition: Condition): string => JSON.stringify(partsOf(condition));

/** Nested lists, to be stringified once: stringifying at each level would double the escapes at each level. */
const partsOf = (condition: Condition): Parts =>
  condition.kind === "expression" ? condition.expression.text : [condition.kind, condition.of.map(partsOf)];

type Parts = string | readonly [kind: string, of: readonly Parts[]];
