/** What comments of generated code say: the policy's own file, line and words. */
import { printLine } from "../source.ts";
import { printCondition, printMatches } from "../table/print.ts";
import type { DerivedRoleRow, Row } from "../table/table.ts";

/** `expense.yaml:10 rule-001: allow view, edit to manager, owner when R.attr.amount < 1000`. */
export function rowWords(row: Row, derivedRoles: readonly DerivedRoleRow[]): string {
  const through = row.derivedRoles.map((at) => derivedRoles[at]?.name ?? "");
  const who = [printMatches(row.roles), ...through].filter((words) => words !== "").join(", ");
  const when = row.condition === undefined ? "" : ` when ${printCondition(row.condition)}`;
  return `${printLine(row.span)} ${row.rule}: ${row.effect} ${printMatches(row.actions)} to ${who}${when}`;
}

/** `roles.yaml:4 derived role owner: employee when R.attr.owner == P.id`. */
export function derivedRoleWords(role: DerivedRoleRow): string {
  const when = role.condition === undefined ? "" : ` when ${printCondition(role.condition)}`;
  return `${printLine(role.span)} derived role ${role.name}: ${printMatches(role.parents)}${when}`;
}
