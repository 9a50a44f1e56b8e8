/** Applies a change to all rows of a table. Whatever is not changed stays the same object. */
import type { DecisionTable, Row, ScopeTable, UnitTable } from "../table/table.ts";

/** Returns the table with the rows of each policy replaced. `change` returns the same list if it changes nothing. */
export const withRows = (table: DecisionTable, change: (scope: ScopeTable, type: UnitTable["type"]) => readonly Row[]): DecisionTable => ({
  units: changed(table.units, (unit) => {
    const scopes = changed(unit.scopes, (scope) => {
      const rows = change(scope, unit.type);
      return rows === scope.rows ? scope : { ...scope, rows };
    });
    return scopes === unit.scopes ? unit : { ...unit, scopes };
  }),
});

/** Like `map`, but returns the list itself if nothing changes. */
export function changed<T>(list: readonly T[], change: (element: T) => T): readonly T[] {
  let copy: T[] | undefined;
  for (const [at, element] of list.entries()) {
    const other = change(element);
    if (other === element) continue;
    copy ??= [...list];
    copy[at] = other;
  }
  return copy ?? list;
}
