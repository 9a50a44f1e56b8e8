/** The comments in generated code: file, line and words of the policy. */
import { printLine } from "../source.ts";
import { patternsAt, printCondition, printMatches } from "../table/print.ts";
import type { DerivedRoleRow, Row, ScopeTable, UnitTable } from "../table/table.ts";

/** For example `scope "acme": resource.expense.vdefault/acme, acme.yaml:1`. */
export function scopeComment({ scope, key, span, allowsNeedConsent }: ScopeTable): string {
  const consent = allowsNeedConsent === true ? "; an allow needs consent of the parent scopes" : "";
  return `scope "${scope}": ${key}, ${printLine(span)}${consent}`;
}

/** For example `expense.yaml:10 rule-001: allow view, edit to manager, owner when R.attr.amount < 1000`. */
export function rowComment(row: Row, { patterns, derivedRoles }: ScopeTable, type: UnitTable["type"]): string {
  const through = row.derivedRoles.map((at) => derivedRoles[at]?.name ?? "");
  const who = [...patternsAt(row.patterns, patterns), ...through].join(", ");
  const when = row.condition === undefined ? "" : ` ${row.unless === true ? "unless" : "when"} ${printCondition(row.condition)}`;
  const what = `${printMatches(row.actions)} ${type === "resource" ? "to" : "on"} ${who}${when}`;
  if (row.effect === "none") return `${rowPlace(row)}: allow ${what}, if a parent scope allows it`;
  return `${rowPlace(row)}: ${type === "role" ? "role may" : row.effect} ${what}`;
}

/** For example `expense.yaml:10 rule-001`. */
export const rowPlace = (row: Row): string => `${printLine(row.span)}${row.rule === "" ? "" : ` ${row.rule}`}`;

/** A name for a row: that of the rule, or its actions and roles. */
export const rowName = (row: Row, patterns: readonly string[]): string =>
  row.rule === "" ? `${printMatches(row.actions)} of ${patternsAt(row.patterns, patterns).join(", ")}` : row.rule;

/** For example `roles.yaml:4 derived role owner: employee when R.attr.owner == P.id`. */
export function derivedRoleComment(role: DerivedRoleRow, patterns: readonly string[]): string {
  const when = role.condition === undefined ? "" : ` when ${printCondition(role.condition)}`;
  return `${printLine(role.span)} derived role ${role.name}: ${patternsAt(role.parents, patterns).join(", ")}${when}`;
}
