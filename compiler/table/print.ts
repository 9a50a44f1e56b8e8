/** Prints a decision table for people: one block for each policy, aligned, each row with its place in the source. */
import type { Condition, Variable } from "../../runtime/decide/condition.ts";
import { printLine } from "../source.ts";
import type { DecisionTable, DerivedRoleRow, Match, Row, ScopeTable } from "./table.ts";

/** Prints every policy of a table. */
export const printTable = (table: DecisionTable): string => table.units.flatMap((unit) => unit.scopes.map(printScope)).join("\n");

function printScope(scope: ScopeTable): string {
  return [
    `${scope.key}  ${printLine(scope.span)}`,
    ...scope.constants.map(({ name, value }) => `  constant ${name} = ${JSON.stringify(value)}`),
    ...scope.variables.map(printVariable),
    ...scope.derivedRoles.flatMap(printDerivedRole),
    ...indent(
      align([
        ["rule", "effect", "actions", "roles", "derived roles", "when", "at"],
        ...scope.rows.map((row) => printRow(row, scope.derivedRoles)),
      ]),
    ),
    "",
  ].join("\n");
}

const printVariable = ({ name, expression }: Variable): string => `  variable ${name} = ${oneLine(expression.text)}`;

function printDerivedRole(role: DerivedRoleRow): readonly string[] {
  const condition = role.condition ? ` when ${printCondition(role.condition)}` : "";
  return [
    `  derived role ${role.name} (${role.origin}) is ${matchesOrNone(role.parents)}${condition}  ${printLine(role.span)}`,
    ...role.constants.map(({ name, value }) => `    constant ${name} = ${JSON.stringify(value)}`),
    ...role.variables.map((variable) => `  ${printVariable(variable)}`),
  ];
}

const printRow = (row: Row, derivedRoles: readonly DerivedRoleRow[]): readonly string[] => [
  row.rule,
  row.effect,
  matchesOrNone(row.actions),
  matchesOrNone(row.roles),
  row.derivedRoles.map((index) => derivedRoles[index]?.name ?? "").join(", ") || "-",
  row.condition ? printCondition(row.condition) : "-",
  printLine(row.span),
];

const matchesOrNone = (matches: readonly Match[]): string => printMatches(matches) || "-";

/** Prints matches with commas between: `view, edit:*`. */
export const printMatches = (matches: readonly Match[]): string => matches.map(printMatch).join(", ");

/** Prints a match as its author wrote it. */
export function printMatch(match: Match): string {
  switch (match.kind) {
    case "any":
      return "*";
    case "exact":
      return match.value;
    case "glob":
      return match.pattern;
  }
}

/** Prints a condition on one line: `all of (a; none of (b; c))`. */
export function printCondition(condition: Condition): string {
  if (condition.kind === "expression") return oneLine(condition.expression.text);
  return `${condition.kind} of (${condition.of.map(printCondition).join("; ")})`;
}

const oneLine = (text: string): string => text.trim().replaceAll(/\s*\n\s*/g, " ");

const indent = (lines: readonly string[]): readonly string[] => lines.map((line) => `  ${line}`);

/** Pads each column to its widest cell. */
function align(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows.reduce<readonly number[]>((widest, row) => row.map((cell, column) => Math.max(widest[column] ?? 0, cell.length)), []);
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
