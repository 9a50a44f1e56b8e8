/** Encodes entries as UTF-8 lines, and finds line ends in bytes. */
import type { Entry, EntryLine, EntryLines } from "../sink.ts";

const lineStarts = {
  access: '{"log.logger":"authz.audit","log.kind":"access",',
  decision: '{"log.logger":"authz.audit","log.kind":"decision",',
} as const;

/** The beginning of every line. */
export const lineStart = '{"log.logger":"authz.audit","log.kind":"';

/** The line feed, as a byte. */
export const lineFeed = 10;

/** An entry, or a line that another process has encoded. */
export type Line = Entry | EntryLine;

/** Splits bytes into lines; throws when there are fewer than kinds. */
export function entryLines({ bytes, kinds }: EntryLines): readonly EntryLine[] {
  let start = 0;
  const lines = kinds.map((kind): EntryLine => {
    const end = bytes.indexOf(lineFeed, start) + 1;
    if (end === 0) throw new Error(`${kinds.length} audit entries were announced, and fewer came`);
    const line = { kind, bytes, start, end };
    start = end;
    return line;
  });
  if (start !== bytes.length) throw new Error(`${kinds.length} audit entries were announced, and more came`);
  return lines;
}

/**
 * Encodes an entry's line after deferred lines, and returns the offset of its end. There must be room for `maxBytesOf` the entry, and
 * for three bytes per character of `before`.
 */
export function writeEntry(before: string, entry: Entry, into: Buffer, at: number): number {
  // One write for all short strings: a call into the engine takes longer than copying the bytes.
  let end = at + into.write(before + lineStartOf(entry), at, "utf8");
  end += into.write(entry.rest, end, "utf8");
  into[end++] = lineFeed;
  return end;
}

/** Returns an entry's line as a string. */
export const textOfLine = (entry: Entry): string => `${lineStartOf(entry)}${entry.rest}\n`;

const lineStartOf = ({ kind, head, traceId }: Entry): string =>
  traceId === undefined ? lineStarts[kind] + head : `${lineStarts[kind]}"trace.id":${JSON.stringify(traceId)},${head}`;

/** Returns the length of a line: in characters where it is not encoded yet. */
export const lengthOf = (line: Line): number => ("bytes" in line ? line.end - line.start : line.head.length + line.rest.length);

/** Returns an upper bound for the bytes of a line: a UTF-16 unit takes at most three bytes in UTF-8, and six characters in JSON. */
export const maxBytesOf = (line: Line): number =>
  "bytes" in line
    ? line.end - line.start
    : (maxBytesBeforeHead + (line.traceId === undefined ? 0 : line.traceId.length * 6) + line.head.length + line.rest.length) * 3;

const maxBytesBeforeHead = 80;

/** Counts the lines that end within the first `end` bytes. */
export function countLines(bytes: Buffer, end: number): number {
  let lines = 0;
  for (let at = bytes.indexOf(lineFeed); at !== -1 && at < end; at = bytes.indexOf(lineFeed, at + 1)) lines++;
  return lines;
}

/** Returns the offset after the given number of lines, which must exist. */
export function endOfLines(bytes: Buffer, lines: number): number {
  let end = 0;
  for (let line = 0; line < lines; line++) end = bytes.indexOf(lineFeed, end) + 1;
  return end;
}

/** Returns the offset after the last line that ends within the given number of bytes; 0 when none does. */
export const endOfLastLine = (bytes: Buffer, within: number): number => (within === 0 ? 0 : bytes.lastIndexOf(lineFeed, within - 1) + 1);

/** Returns the offset after the first line. */
export const endOfFirstLine = (bytes: Buffer): number => bytes.indexOf(lineFeed) + 1;
