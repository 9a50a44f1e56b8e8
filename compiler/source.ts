/** Sources, and spans and positions in them. */
import type { JsonObject } from "../runtime/cel/value.ts";

/** The text of a file and its path. */
export interface Source {
  /** Relative to the store's root, with `/` between segments. */
  readonly path: string;
  readonly text: string;
  /** What the store says about its origin, for audit entries: the disk store's `driver` and `source` (semantics 1.9). */
  readonly attributes?: JsonObject;
}

/** Half-open range of UTF-16 offsets in one source. */
export interface Span {
  readonly source: Source;
  readonly start: number;
  readonly end: number;
}

/** A 1-based line and column. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/**
 * Returns the position of an offset. The column counts characters, as the reference implementation does (D50). An
 * offset past the end gives the end.
 */
export function positionAt(source: Source, offset: number): Position {
  const { line, column } = unitPositionAt(source, offset);
  const ends = pairEndsOf(source);
  if (ends.length === 0) return { line, column };
  const start = lineStartsOf(source)[line - 1] ?? 0;
  // A surrogate pair is one character.
  return { line, column: column - (countUpTo(ends, start + column - 1) - countUpTo(ends, start)) };
}

/** Returns the position of an offset. The column counts UTF-16 code units, for slices and source maps. */
export function unitPositionAt(source: Source, offset: number): Position {
  const starts = lineStartsOf(source);
  const at = Math.max(0, Math.min(offset, source.text.length));
  const line = countUpTo(starts, at);
  return { line, column: at - (starts[line - 1] ?? 0) + 1 };
}

/** Returns how many numbers of an ascending list are not above a limit. */
function countUpTo(ascending: readonly number[], limit: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((ascending[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Prints where a span starts: `expense.yaml:10:3`. */
export function printPlace({ source, start }: Span): string {
  const { line, column } = positionAt(source, start);
  return `${source.path}:${line}:${column}`;
}

/** Prints the line that a span starts on: `expense.yaml:10`. */
export const printLine = ({ source, start }: Span): string => `${source.path}:${positionAt(source, start).line}`;

// Only a cache: a source never changes. A file with a mistake on every line must not be scanned from its start each
// time.
const knownLineStarts = new WeakMap<Source, readonly number[]>();

function lineStartsOf(source: Source): readonly number[] {
  const known = knownLineStarts.get(source);
  if (known !== undefined) return known;
  const starts = [0];
  for (let at = source.text.indexOf("\n"); at !== -1; at = source.text.indexOf("\n", at + 1)) starts.push(at + 1);
  knownLineStarts.set(source, starts);
  return starts;
}

// A cache for the same reason: a policy may be one long line.
const knownPairEnds = new WeakMap<Source, readonly number[]>();

function pairEndsOf(source: Source): readonly number[] {
  const known = knownPairEnds.get(source);
  if (known !== undefined) return known;
  const ends = Array.from(source.text.matchAll(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g), ({ index }) => index + 2);
  knownPairEnds.set(source, ends);
  return ends;
}

/** Returns a line, given its 1-based number, without its line end. */
export function lineAt(source: Source, line: number): string {
  const starts = lineStartsOf(source);
  const end = starts[line] ?? source.text.length + 1;
  return source.text.slice(starts[line - 1] ?? source.text.length, end - 1).replace(/\r$/, "");
}
