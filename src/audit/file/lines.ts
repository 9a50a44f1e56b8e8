/** Entries as lines of text, and where lines end among bytes. */
import type { Entry } from "../sink.ts";

const heads = {
  access: '{"log.logger":"authz.audit","log.kind":"access",',
  decision: '{"log.logger":"authz.audit","log.kind":"decision",',
} as const;

/** What every line begins with. */
export const lineStart = '{"log.logger":"authz.audit","log.kind":"';

/** The line feed, as a byte. */
export const lineFeed = 10;

/** Writes entries as lines, each ended by a line feed. */
export const linesOf = (entries: readonly Entry[]): Buffer => Buffer.from(textOf(entries), "utf8");

/** Bytes that are kept for the next lines. */
const mostKept = 2 ** 22;

/** The same, into bytes that are written over with the next lines: new memory takes ten times as long as writing. */
export function openLines(): (entries: readonly Entry[]) => Buffer {
  let kept = Buffer.alloc(0);
  return (entries) => {
    const text = textOf(entries);
    const most = text.length * bytesOfUnit;
    if (most > mostKept) return Buffer.from(text, "utf8");
    if (most > kept.length) kept = Buffer.allocUnsafeSlow(most);
    return kept.subarray(0, kept.write(text, "utf8"));
  };
}

/** The most bytes that a unit of UTF-16 takes in UTF-8. */
const bytesOfUnit = 3;

function textOf(entries: readonly Entry[]): string {
  let text = "";
  for (const { kind, text: entry, traceId } of entries) {
    const trace = traceId === undefined ? "" : `"trace.id":${JSON.stringify(traceId)},`;
    text += `${heads[kind]}${trace}${entry.slice(1)}\n`;
  }
  return text;
}

/** Counts the lines that end among the first bytes. */
export function countLines(bytes: Buffer, end: number): number {
  let lines = 0;
  for (let at = bytes.indexOf(lineFeed); at !== -1 && at < end; at = bytes.indexOf(lineFeed, at + 1)) lines++;
  return lines;
}

/** Says where the last line ends that ends within so many bytes; 0 when none does. */
export const endOfLastLine = (bytes: Buffer, within: number): number => (within === 0 ? 0 : bytes.lastIndexOf(lineFeed, within - 1) + 1);

/** Says where the first line ends. */
export const endOfFirstLine = (bytes: Buffer): number => bytes.indexOf(lineFeed) + 1;
