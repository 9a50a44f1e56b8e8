/** A problem of an entry: a message, with position, source frame and hint where there are any. */
import { printFrame, visible } from "../../compiler/print-diagnostics.ts";
import { positionAt, type Source, type Span } from "../../compiler/source.ts";
import type { Styles } from "./styles.ts";

/** An entry: one line, or several that belong together. */
export interface Entry {
  /** Its path is the name of the input, "" at a terminal. */
  readonly source: Source;
  /** The 1-based line of the input at which it starts. */
  readonly firstLine: number;
}

/** A range of an entry, such as the expression after `:type`. */
export interface Part {
  readonly entry: Entry;
  readonly text: string;
  /** The offset in the entry. */
  readonly start: number;
}

/** One problem. */
export interface Problem {
  /** In lower case without a full stop; the author's words are in backticks. */
  readonly message: string;
  readonly span?: Span;
  readonly hint?: string;
  readonly notes?: readonly string[];
  /** The printed form, for a diagnostic of a policy. */
  readonly printed?: string;
}

/** Converts a range within a part to a span. */
export const spanIn = ({ entry, start }: Part, range: { readonly start: number; readonly end: number }): Span => ({
  source: entry.source,
  start: start + range.start,
  end: start + range.end,
});

/** Returns a sub-range of a part, without surrounding white space. */
export function subrange(part: Part, from: number, to = part.text.length): Part {
  const text = part.text.slice(from, to);
  const blank = text.length - text.trimStart().length;
  return { entry: part.entry, text: text.trim(), start: part.start + from + blank };
}

/** Returns a problem about a whole part. */
export const problemOf = (part: Part, message: string, hint?: string): Problem => ({
  message,
  span: spanIn(part, { start: 0, end: part.text.length }),
  ...(hint !== undefined && { hint }),
});

/** Returns the position of a problem in the input, 1-based. */
export function positionOf({ span }: Problem, { firstLine }: Entry): { readonly line: number; readonly column: number } {
  if (span === undefined) return { line: firstLine, column: 1 };
  const { line, column } = positionAt(span.source, span.start);
  return { line: line + firstLine - 1, column };
}

/** Prints a problem: the position if the input has a name, the message, the frame, the hint. */
export function printProblem(problem: Problem, entry: Entry, styles: Styles): string {
  if (problem.printed !== undefined) return problem.printed;
  const { path } = entry.source;
  const { line, column } = positionOf(problem, entry);
  const frame =
    problem.span === undefined || problem.span.end === 0 ? { gutter: "", lines: [] } : printFrame(problem.span, entry.firstLine);
  const remarks = [
    ...(problem.notes ?? []).map((note) => `note: ${note}`),
    ...(problem.hint === undefined ? [] : [`hint: ${problem.hint}`]),
  ];
  return [
    `${path === "" ? "" : `${path}:${line}:${column}: `}${styles.error("error")}: ${visible(problem.message)}`,
    ...frame.lines.map((text, at) => (at === 2 ? styles.error(text) : text)),
    ...remarks.map((remark) => styles.dim(`${frame.gutter} = ${visible(remark)}`)),
  ].join("\n");
}
