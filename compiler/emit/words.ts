/** What comments of generated code say: the policy's own file, line and words. */
import { positionAt, type Span } from "../source.ts";
import type { DerivedRoleRow, Match, Row } from "../table/table.ts";
import { conditionWords } from "./condition.ts";

/** `expense.yaml:10`. */
export const place = (span: Span): string => `${span.source.path}:${positionAt(span.source, span.start).line}`;

const matchWords = (matches: readonly Match[]): string =>
  matches.map((match) => (match.kind === "any" ? "*" : match.kind === "exact" ? match.value : match.pattern)).join(", ");

/** `expense.yaml:10 rule-001: allow view, edit to manager, owner when R.attr.amount < 1000`. */
export function rowWords(row: Row, derivedRoles: readonly DerivedRoleRow[]): string {
  const through = row.derivedRoles.map((at) => derivedRoles[at]?.name ?? "");
  const who = [matchWords(row.roles), ...through].filter((words) => words !== "").join(", ");
  const when = row.condition === undefined ? "" : ` when ${conditionWords(row.condition)}`;
  return `${place(row.span)} ${row.rule}: ${row.effect} ${matchWords(row.actions)} to ${who}${when}`;
}

/** `roles.yaml:4 derived role owner: employee when R.attr.owner == P.id`. */
export function derivedRoleWords(role: DerivedRoleRow): string {
  const when = role.condition === undefined ? "" : ` when ${conditionWords(role.condition)}`;
  return `${place(role.span)} derived role ${role.name}: ${matchWords(role.parents)}${when}`;
}
