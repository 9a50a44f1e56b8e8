/** Prints diagnostics as text for people, with the line at fault, and as JSON for tools. */
import { inOrder, sourceOf, type Diagnostic, type Note } from "./diagnostic.ts";
import { referenceKind } from "./messages.ts";
import { lineAt, positionAt, type Span, unitPositionAt } from "./source.ts";

/** Prints all diagnostics, sorted by position, without duplicates, separated by empty lines. */
export const printDiagnostics = (diagnostics: readonly Diagnostic[]): string => inOrder(diagnostics).map(printDiagnostic).join("\n\n");

/**
 * Prints one:
 *
 *     expense.yaml:3:5: error unknown-import: no derived roles named `aple_roles`
 *       |
 *     3 |   - aple_roles
 *       |     ^^^^^^^^^^
 *       = hint: did you mean `apple_roles`?
 */
export function printDiagnostic(diagnostic: Diagnostic): string {
  const place = diagnostic.focus ?? diagnostic.span;
  const frame = place && place.source.text !== "" ? printFrame(place) : { gutter: "", lines: [] };
  const remarks = [
    ...(diagnostic.notes ?? []).map((note) => `note: ${atPlace(note)}`),
    ...(diagnostic.hint === undefined ? [] : [`hint: ${visible(diagnostic.hint)}`]),
    ...(diagnostic.further ?? []).map((note) => `also: ${atPlace(note)}`),
  ];
  return [
    `${printHeading(diagnostic)}: ${diagnostic.severity} ${diagnostic.code}: ${visible(diagnostic.message)}`,
    ...frame.lines,
    ...remarks.map((remark) => `${frame.gutter} = ${remark}`),
  ].join("\n");
}

const atPlace = ({ span, message }: Note): string => `${printPlace(span)}: ${visible(message)}`;

function printHeading(diagnostic: Diagnostic): string {
  const place = diagnostic.span ?? diagnostic.focus;
  return place === undefined ? visible(sourceOf(diagnostic)?.path ?? "policies") : printPlace(place);
}

function printPlace(span: Span): string {
  const { line, column } = positionAt(span.source, span.start);
  return `${visible(span.source.path)}:${line}:${column}`;
}

/** The maximum number of characters shown of a line: a policy in one line of JSON can be very long. */
const widest = 120;

/**
 * Prints the line that a span starts on, with carets under it. `firstLine` is the line number given to the first line
 * of the source.
 */
export function printFrame(span: Span, firstLine = 1): { readonly gutter: string; readonly lines: readonly string[] } {
  const { line, column } = unitPositionAt(span.source, span.start);
  const whole = lineAt(span.source, line);
  const from = column > widest - 20 ? column - 40 : 0;
  const shown = whole.slice(from, from + widest);
  const [before, after] = [from > 0 ? "..." : "", from + widest < whole.length ? "..." : ""];
  const start = column - 1 - from;
  const length = Math.max(1, Math.min(span.end - span.start, shown.length - start));
  const indent = before.replaceAll(".", " ") + shown.slice(0, start).replaceAll(/[^\t]/g, " ");
  const number = String(line + firstLine - 1);
  const gutter = " ".repeat(number.length);
  return {
    gutter,
    lines: [`${gutter} |`, `${number} | ${before}${visible(shown)}${after}`, `${gutter} | ${indent}${"^".repeat(length)}`],
  };
}

/** Makes text safe for a terminal: it stays on one line and cannot move the cursor. */
export const visible = (text: string): string =>
  text.replaceAll("\n", "\\n").replaceAll(/(?!\t)[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, "\uFFFD");

/** One diagnostic for tools. Line and column are 1-based; missing values are absent. */
export interface JsonDiagnostic {
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly path?: string;
  readonly severity: string;
  readonly code: string;
  /** The reference implementation's error kind or error id, if it has one. */
  readonly kind?: string;
  readonly message: string;
  readonly hint?: string;
  readonly notes?: readonly { readonly file: string; readonly line: number; readonly column: number; readonly message: string }[];
}

/** Converts diagnostics to plain data, sorted by position, without duplicates. */
export const diagnosticsToJson = (diagnostics: readonly Diagnostic[]): readonly JsonDiagnostic[] =>
  inOrder(diagnostics).map((diagnostic) => {
    const { span, path, severity, code, message, hint } = diagnostic;
    const notes = [...(diagnostic.notes ?? []), ...(diagnostic.further ?? [])];
    const file = sourceOf(diagnostic)?.path;
    const kind = referenceKind(code);
    return {
      ...(file !== undefined && { file }),
      ...(span && positionAt(span.source, span.start)),
      ...(path !== undefined && { path }),
      severity,
      code,
      ...(kind !== "" && { kind }),
      message,
      ...(hint !== undefined && { hint }),
      ...(notes.length > 0 && { notes: notes.map(noteToJson) }),
    };
  });

const noteToJson = ({ span, message }: Note) => ({
  file: span.source.path,
  ...positionAt(span.source, span.start),
  message,
});
