/** Prints a decision table for people: one aligned block for each policy, each row with its source position. */
import type { Variable } from "../../runtime/decide/condition.ts";
import type { SchemaReference } from "../link/policy-set.ts";
import { printLine } from "../source.ts";
import { patternOf } from "./patterns.ts";
import type { DecisionTable, DerivedRoleRow, Match, Row, RowOutput, ScopeTable, UnitTable } from "./table.ts";

/** Prints every policy of a table. */
export const printTable = (table: DecisionTable): string =>
  table.units.flatMap((unit) => unit.scopes.map((scope) => printScope(scope, unit))).join("\n");

function printScope(scope: ScopeTable, unit: UnitTable): string {
  return [
    `${scope.key}  ${printLine(scope.span)}`,
    ...(unit.writtenName === unit.name ? [] : [`  written ${unit.writtenName}`]),
    ...(scope.allowsNeedConsent === true ? ["  an allow needs consent of the parent scopes"] : []),
    ...(unit.type === "role" ? [`  parent roles ${scope.parentRoles.join(", ") || "-"}`] : []),
    ...printSchema("principal", scope.schemas.principal),
    ...printSchema("resource", scope.schemas.resource),
    ...scope.constants.map(({ name, value }) => `  constant ${name} = ${JSON.stringify(value)}`),
    ...scope.variables.map(printVariable),
    ...scope.derivedRoles.flatMap((role) => printDerivedRole(role, scope.patterns)),
    ...indent(align(printRows(scope, unit))),
    "",
  ].join("\n");
}

function printSchema(of: string, reference: SchemaReference | undefined): readonly string[] {
  if (reference === undefined) return [];
  const unless = reference.ignoreWhen.length === 0 ? "" : ` unless every action is ${reference.ignoreWhen.join(", ")}`;
  return [`  schema of the ${of} ${reference.ref}${unless}`];
}

const printVariable = ({ name, expression }: Variable): string => `  variable ${name} = ${oneLine(expression.text)}`;

function printDerivedRole(role: DerivedRoleRow, patterns: readonly string[]): readonly string[] {
  const condition = role.condition ? ` when ${printCondition(role.condition)}` : "";
  return [
    `  derived role ${role.name} (${role.origin}) is ${printPatterns(role.parents, patterns)}${condition}  ${printLine(role.span)}`,
    ...role.constants.map(({ name, value }) => `    constant ${name} = ${JSON.stringify(value)}`),
    ...role.variables.map((variable) => `  ${printVariable(variable)}`),
  ];
}

/** A column: its heading and its cell in a row. */
type Column = readonly [heading: string, cell: (row: Row) => string];

/** Returns the heading line and a line for each row. A column that is empty for every row of a policy is left out. */
function printRows(scope: ScopeTable, { type }: UnitTable): readonly (readonly string[])[] {
  const derivedRole = (index: number): string => scope.derivedRoles[index]?.name ?? "";
  const columns: readonly (Column | false)[] = [
    ["rule", (row) => row.rule || "-"],
    type !== "role" && ["effect", (row) => row.effect],
    [type === "role" ? "may" : "actions", (row) => printMatches(row.actions)],
    [type === "resource" ? "roles" : "kinds", (row) => printPatterns(row.patterns, scope.patterns)],
    type === "resource" && ["derived roles", (row) => row.derivedRoles.map(derivedRole).join(", ") || "-"],
    ["when", (row) => (row.condition ? `${row.unless === true ? "unless " : ""}${printCondition(row.condition)}` : "-")],
    scope.rows.some((row) => row.output !== undefined) && ["output", (row) => (row.output ? printOutput(row.output) : "-")],
    ["at", (row) => printLine(row.span)],
  ];
  const printed = columns.filter((column) => column !== false);
  return [printed.map(([heading]) => heading), ...scope.rows.map((row) => printed.map(([, cell]) => cell(row)))];
}

/** Prints the outputs of a row: the one when its condition holds, then `else` and the one when it does not. */
const printOutput = ({ met, notMet }: RowOutput): string =>
  [...(met ? [oneLine(met.text)] : []), ...(notMet ? [`else ${oneLine(notMet.text)}`] : [])].join("; ");

const printPatterns = (indexes: readonly number[], patterns: readonly string[]): string => patternsAt(indexes, patterns).join(", ") || "-";

/** Returns the patterns with the given indexes, as written by the author. */
export const patternsAt = (indexes: readonly number[], patterns: readonly string[]): readonly string[] =>
  indexes.map((index) => patterns[index] ?? "");

/** Prints matches separated by commas: `view, edit:*`. */
export const printMatches = (matches: readonly Match[]): string => [...new Set(matches.map(patternOf))].join(", ") || "-";

/** A condition, linked or as written. */
type Printable =
  | { readonly kind: "expression"; readonly expression: { readonly text: string } }
  | { readonly kind: "all" | "any" | "none"; readonly of: readonly Printable[] };

/** Prints a condition on one line: `all of (a; none of (b; c))`. */
export function printCondition(condition: Printable): string {
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
