/** Source texts and the places in them. */
import type { JsonObject } from "../runtime/cel/value.ts";

/** A text and what it is called. */
export interface Source {
  /** Relative to the store's root, `/` between segments. */
  readonly path: string;
  readonly text: string;
  /** What the store says of where it comes from, for audit entries: the disk store's `driver` and `source` (semantics 1.9). */
  readonly attributes?: JsonObject;
}

/** Half-open range of UTF-16 offsets in one source. */
export interface Span {
  readonly source: Source;
  readonly start: number;
  readonly end: number;
}

/** A 1-based line and column (in UTF-16 units). */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Returns the position of an offset; an offset past the end is the end. */
export function positionAt(source: Source, offset: number): Position {
  const starts = lineStartsOf(source);
  const at = Math.max(0, Math.min(offset, source.text.length));
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: at - (starts[low] ?? 0) + 1 };
}

/** Prints where a span starts: `expense.yaml:10:3`. */
export function printPlace({ source, start }: Span): string {
  const { line, column } = positionAt(source, start);
  return `${source.path}:${line}:${column}`;
}

/** Prints the line that a span starts on: `expense.yaml:10`. */
export const printLine = ({ source, start }: Span): string => `${source.path}:${positionAt(source, start).line}`;

// A memo, not a state: a source never changes. A file with a mistake on every line must not be searched from its start each time.
const knownLineStarts = new WeakMap<Source, readonly number[]>();

function lineStartsOf(source: Source): readonly number[] {
  const known = knownLineStarts.get(source);
  if (known !== undefined) return known;
  const starts = [0];
  for (let at = source.text.indexOf("\n"); at !== -1; at = source.text.indexOf("\n", at + 1)) starts.push(at + 1);
  knownLineStarts.set(source, starts);
  return starts;
}

/** Returns the text of a 1-based line, without its end. */
export function lineAt(source: Source, line: number): string {
  const starts = lineStartsOf(source);
  const end = starts[line] ?? source.text.length + 1;
  return source.text.slice(starts[line - 1] ?? source.text.length, end - 1).replace(/\r$/, "");
}
