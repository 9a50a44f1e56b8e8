/** Diagnostics as text for people, with the line at fault, and as JSON for tools. */
import { inOrder, sourceOf, type Diagnostic, type Note } from "./diagnostic.ts";
import { referenceKind } from "./messages.ts";
import { lineAt, positionAt, type Span, unitPositionAt } from "./source.ts";

/** Prints all, sorted by place, each once, an empty line between them. */
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

/** As much of a line as is shown: a policy in one line of JSON can be very long. */
const widest = 120;

/** Prints the line that a span starts on, and carets under it; `firstLine` is what the first line of the source is called. */
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

/** Keeps the author's text from moving the cursor of a terminal, and on one line. */
export const visible = (text: string): string =>
  text.replaceAll("\n", "\\n").replaceAll(/(?!\t)[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, "\uFFFD");

/** One diagnostic for tools. Line and column are 1-based; what a problem does not have is absent. */
export interface JsonDiagnostic {
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly path?: string;
  readonly severity: string;
  readonly code: string;
  /** The reference implementation's kind or error id, where it has one. */
  readonly kind?: string;
  readonly message: string;
  readonly hint?: string;
  readonly notes?: readonly { readonly file: string; readonly line: number; readonly column: number; readonly message: string }[];
}

/** Turns all into plain data, sorted by place, each once. */
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
