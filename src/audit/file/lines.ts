/** Entries as lines of text, and where lines end among bytes. */
import type { Waiting } from "../outbox.ts";
import type { Entry, EntryLine, EntryLines } from "../sink.ts";

const heads = {
  access: '{"log.logger":"authz.audit","log.kind":"access",',
  decision: '{"log.logger":"authz.audit","log.kind":"decision",',
} as const;

/** What every line begins with. */
export const lineStart = '{"log.logger":"authz.audit","log.kind":"';

/** The line feed, as a byte. */
export const lineFeed = 10;

/** Bytes that are kept for the next lines. */
const mostKept = 2 ** 22;

/** Writes entries as lines, each ended by a line feed. */
export const linesOf = (entries: readonly Waiting[]): Buffer => {
  const bytes = Buffer.allocUnsafeSlow(mostBytes(entries));
  return bytes.subarray(0, writeLines(entries, bytes));
};

/** The same, into bytes that are written over with the next lines: new memory takes ten times as long as writing, as text or as bytes. */
export function openLines(): (entries: readonly Waiting[]) => Buffer {
  let kept = Buffer.alloc(0);
  return (entries) => {
    const most = mostBytes(entries);
    if (most > mostKept) return linesOf(entries);
    if (most > kept.length) kept = Buffer.allocUnsafeSlow(most);
    return kept.subarray(0, writeLines(entries, kept));
  };
}

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

/** Writes lines, and says where they end. */
function writeLines(entries: readonly Waiting[], into: Buffer): number {
  let end = 0;
  for (const entry of entries) {
    if ("bytes" in entry) {
      end += entry.bytes.copy(into, end, entry.start, entry.end);
      continue;
    }
    const start = end + into.write(headOf(entry), end, "utf8") - 1;
    end = start + into.write(entry.head, start, "utf8");
    if (entry.rest !== "") end += into.write(entry.rest, end, "utf8");
    // The head goes on where the entry's own brace was.
    into[start] = comma;
    into[end++] = lineFeed;
  }
  return end;
}

const mostBytes = (entries: readonly Waiting[]): number => entries.reduce((most, entry) => most + mostOf(entry), 0);

/** A unit of UTF-16 takes at most three bytes in UTF-8. */
const mostOf = (entry: Waiting): number =>
  "bytes" in entry ? entry.end - entry.start : (headOf(entry).length + entry.head.length + entry.rest.length) * 3;

const comma = 44;

const headOf = ({ kind, traceId }: Entry): string =>
  traceId === undefined ? heads[kind] : `${heads[kind]}"trace.id":${JSON.stringify(traceId)},`;

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
