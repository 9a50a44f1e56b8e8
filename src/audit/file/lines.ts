/** Encodes entries as lines of UTF-8, and finds where lines end among bytes. */
import type { Entry, EntryLine, EntryLines } from "../sink.ts";

const heads = {
  access: '{"log.logger":"authz.audit","log.kind":"access",',
  decision: '{"log.logger":"authz.audit","log.kind":"decision",',
} as const;

/** What every line begins with. */
export const lineStart = '{"log.logger":"authz.audit","log.kind":"';

/** The line feed, as a byte. */
export const lineFeed = 10;

/** A line to be: an entry, or a line that another process wrote. */
export type Line = Entry | EntryLine;

/** Takes lines apart again; throws when they are not as many as are said to be. */
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

/** Writes an entry's line behind lines that were put off. Says where it ends; there is room for `mostBytesOf` it, and for three bytes a character before it. */
export function writeEntry(before: string, entry: Entry, into: Buffer, at: number): number {
  // All that is short at once: to call the engine takes longer than to write the bytes.
  let end = at + into.write(before + startOf(entry), at, "utf8");
  end += into.write(entry.rest, end, "utf8");
  into[end++] = lineFeed;
  return end;
}

/** An entry's line as text. */
export const textOfLine = (entry: Entry): string => `${startOf(entry)}${entry.rest}\n`;

const startOf = ({ kind, head, traceId }: Entry): string =>
  traceId === undefined ? heads[kind] + head : `${heads[kind]}"trace.id":${JSON.stringify(traceId)},${head}`;

/** How long a line is: in characters where its bytes are not known yet. */
export const lengthOf = (line: Line): number => ("bytes" in line ? line.end - line.start : line.head.length + line.rest.length);

/** How many bytes a line takes at most: a unit of UTF-16 takes at most three bytes in UTF-8, and six characters in JSON. */
export const mostBytesOf = (line: Line): number =>
  "bytes" in line
    ? line.end - line.start
    : (mostBeforeHead + (line.traceId === undefined ? 0 : line.traceId.length * 6) + line.head.length + line.rest.length) * 3;

const mostBeforeHead = 80;

/** Counts the lines that end among the first bytes. */
export function countLines(bytes: Buffer, end: number): number {
  let lines = 0;
  for (let at = bytes.indexOf(lineFeed); at !== -1 && at < end; at = bytes.indexOf(lineFeed, at + 1)) lines++;
  return lines;
}

/** Says where so many lines end; there are as many. */
export function endOfLines(bytes: Buffer, lines: number): number {
  let end = 0;
  for (let line = 0; line < lines; line++) end = bytes.indexOf(lineFeed, end) + 1;
  return end;
}

/** Says where the last line ends that ends within so many bytes; 0 when none does. */
export const endOfLastLine = (bytes: Buffer, within: number): number => (within === 0 ? 0 : bytes.lastIndexOf(lineFeed, within - 1) + 1);

/** Says where the first line ends. */
export const endOfFirstLine = (bytes: Buffer): number => bytes.indexOf(lineFeed) + 1;
