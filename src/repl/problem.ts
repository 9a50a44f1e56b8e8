/** What is wrong with an entry: a sentence, and where there is one the place, framed, and what to do about it. */
import { printFrame, visible } from "../../compiler/print-diagnostics.ts";
import { positionAt, type Source, type Span } from "../../compiler/source.ts";
import type { Paint } from "./paint.ts";

/** What was entered: one line, or several that belong together. */
export interface Entry {
  /** Its path is what the input is called, "" at a terminal. */
  readonly source: Source;
  /** The 1-based line of the input on which it starts. */
  readonly firstLine: number;
}

/** A stretch of an entry, such as the expression after `:type`. */
export interface Part {
  readonly entry: Entry;
  readonly text: string;
  /** Where it starts in the entry. */
  readonly start: number;
}

/** One thing wrong. */
export interface Problem {
  /** Lower case, no full stop, the author's words in backticks. */
  readonly message: string;
  readonly span?: Span;
  readonly hint?: string;
  readonly notes?: readonly string[];
  /** Already printed, by whoever found it: a diagnostic of a policy. */
  readonly printed?: string;
}

/** Returns the place of a range within a part. */
export const spanIn = ({ entry, start }: Part, range: { readonly start: number; readonly end: number }): Span => ({
  source: entry.source,
  start: start + range.start,
  end: start + range.end,
});

/** Returns the part of a part from an offset on, without white space around it. */
export function rest(part: Part, from: number, to = part.text.length): Part {
  const text = part.text.slice(from, to);
  const blank = text.length - text.trimStart().length;
  return { entry: part.entry, text: text.trim(), start: part.start + from + blank };
}

/** Makes a problem of a whole part. */
export const problemOf = (part: Part, message: string, hint?: string): Problem => ({
  message,
  span: spanIn(part, { start: 0, end: part.text.length }),
  ...(hint !== undefined && { hint }),
});

/** Where a problem stands, 1-based, counted in the input. */
export function positionOf({ span }: Problem, { firstLine }: Entry): { readonly line: number; readonly column: number } {
  if (span === undefined) return { line: firstLine, column: 1 };
  const { line, column } = positionAt(span.source, span.start);
  return { line: line + firstLine - 1, column };
}

/** Prints a problem: the input's name and the place where it has a name, the sentence, the frame, what to do. */
export function printProblem(problem: Problem, entry: Entry, paint: Paint): string {
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
    `${path === "" ? "" : `${path}:${line}:${column}: `}${paint.bad("error")}: ${visible(problem.message)}`,
    ...frame.lines.map((text, at) => (at === 2 ? paint.bad(text) : text)),
    ...remarks.map((remark) => paint.quiet(`${frame.gutter} = ${visible(remark)}`)),
  ].join("\n");
}
