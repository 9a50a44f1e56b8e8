/**
 * The fast parser for the plain YAML that nearly all policies are written in: one pass, few allocations. It gives up
 * on anything unusual (a mistake, an anchor, a tag, an unusual escape, a plain or quoted scalar of several lines),
 * and the full parser decides.
 * What it does parse, it parses exactly as the full parser does: `test/compiler/yaml/parse-fast.test.ts` compares the two.
 */
import type { Source } from "../source.ts";
import { readBlockScalar } from "./block-scalar.ts";
import { opensFlowCollection, readFlowCollection, readFlowScalar } from "./flow-collection.ts";
import {
  skipSpaces,
  maximumDepth,
  finishLine,
  endOf,
  hasDuplicateKey,
  isRestOfLineBlank,
  nextLine,
  scalar,
  spanIn,
  type Cursor,
} from "./cursor.ts";
import type { ListNode, MapEntry, MapNode, ScalarNode, YamlNode } from "./node.ts";

/** Parses a source with one document. Returns undefined if the full parser must decide. */
export function parseFast(source: Source): MapNode | undefined {
  if (unusual.test(source.text)) return undefined;
  const cursor: Cursor = { source, text: source.text, lineStart: 0, lineEnd: -1, indent: 0, at: 0 };
  nextLine(cursor);
  if (cursor.text.startsWith("---\n", cursor.lineStart)) nextLine(cursor);
  const map = cursor.indent === 0 ? readRoot(cursor) : undefined;
  return cursor.indent === -1 ? map : undefined;
}

/** Parses the root mapping, in block style or, as JSON, in brackets. */
function readRoot(cursor: Cursor): MapNode | undefined {
  if (cursor.text[cursor.at] !== "{") return readMap(cursor, 0, 0);
  const value = readFlowCollection(cursor, cursor.at, -1, 0);
  return value?.kind === "map" ? value : undefined;
}

// Tabs, carriage returns, control characters, other line breaks, byte order marks.
const unusual = /[^\n -~\u00a1-\u1fff\u2030-\ud7ff\ue000-\ufdcf\ufdf0-\ufefe\uff00-\uffef]/;
/** Parses a block mapping whose keys are at column `indent`. The cursor is at the first key. */
function readMap(cursor: Cursor, indent: number, depth: number, first = readKey(cursor)): MapNode | undefined {
  const { at: start, text } = cursor;
  const entries: MapEntry[] = [];
  let key = first;
  const colon = key?.span.end ?? start;
  for (;;) {
    if (key === undefined || depth > maximumDepth) return undefined;
    const from = key.span.end + 1;
    const value = isRestOfLineBlank(cursor, from) ? readNested(cursor, indent, depth) : readInline(cursor, skipSpaces(text, from), indent);
    if (value === undefined) return undefined;
    entries.push({ key, value });
    if (cursor.indent !== indent) break;
    key = readKey(cursor);
  }
  const end = entries.at(-1)?.value.span.end ?? start;
  return cursor.indent > indent || hasDuplicateKey(entries)
    ? undefined
    : { kind: "map", entries, span: spanIn(cursor, start, end), token: spanIn(cursor, colon, colon + 1) };
}

/** The maximum length of a key before its colon on one line (YAML 1.2, 7.4.2). */
const longestKey = 1024;
const plainKey = /[A-Za-z_$][\w$./-]*(?=:[ \n])/y;
const quotedKey = /"[^"\\\n]*"(?=:[ \n])|'[^'\n]*'(?=:[ \n])/y;

/** Parses a key that is followed by a colon. The cursor does not move. */
function readKey(cursor: Cursor): ScalarNode | undefined {
  const { text, at } = cursor;
  const isQuoted = text[at] === '"' || text[at] === "'";
  const form = isQuoted ? quotedKey : plainKey;
  const end = endOf(form, text, at);
  if (end === -1 || end - at > longestKey) return undefined;
  if (!isQuoted) return scalar(cursor, at, end, "plain", text.slice(at, end));
  return scalar(cursor, at, end, text[at] === '"' ? "double" : "single", text.slice(at + 1, end - 1));
}

/** Parses the value below a key: a mapping that is indented further, or a list at the same or a deeper indentation. */
function readNested(cursor: Cursor, indent: number, depth: number): YamlNode | undefined {
  nextLine(cursor);
  if (isItem(cursor) && cursor.indent >= indent) return readList(cursor, cursor.indent, depth + 1);
  if (cursor.indent > indent && opensFlowCollection(cursor.text[cursor.at]))
    return readFlowCollection(cursor, cursor.at, indent, cursor.indent);
  return cursor.indent > indent ? readMap(cursor, cursor.indent, depth + 1) : undefined;
}

const isItem = ({ text, at }: Cursor): boolean => text[at] === "-" && text[at + 1] === " ";

/** Parses a block list whose dashes are at column `indent`. */
function readList(cursor: Cursor, indent: number, depth: number): ListNode | undefined {
  const start = cursor.at;
  const items: YamlNode[] = [];
  do {
    if (isRestOfLineBlank(cursor, cursor.at + 1)) return undefined;
    const from = skipSpaces(cursor.text, cursor.at + 1);
    cursor.at = from;
    const key = readKey(cursor);
    const item = key === undefined ? readInline(cursor, from, indent) : readMap(cursor, from - cursor.lineStart, depth + 1, key);
    if (item === undefined) return undefined;
    items.push(item);
  } while (cursor.indent === indent && isItem(cursor));
  const end = items.at(-1)?.span.end ?? start;
  return cursor.indent > indent
    ? undefined
    : { kind: "list", items, span: spanIn(cursor, start, end), token: spanIn(cursor, start, start + 1) };
}

/** Parses a value on the line of its key or dash, and moves to the next line. */
function readInline(cursor: Cursor, start: number, indent: number): YamlNode | undefined {
  const sign = cursor.text[start];
  if (sign === "|" || sign === ">") return readBlockScalar(cursor, start, indent);
  if (opensFlowCollection(sign)) return readFlowCollection(cursor, start, indent, indent + 1);
  const value = sign === '"' || sign === "'" ? readFlowScalar(cursor, start) : readPlain(cursor, start);
  return finishLine(cursor, value, indent);
}

// A plain scalar that cannot be anything else: `: ` and ` #` are special, and so are most punctuation characters at
// the start.
const plain = /(?:[A-Za-z0-9_/.$(~<=^]|-(?=[0-9]))(?:[^\n:# ]|:(?![ \n]|$)|(?<! )#| +(?![# \n]|$))*/y;

function readPlain(cursor: Cursor, start: number): ScalarNode | undefined {
  const end = endOf(plain, cursor.text, start);
  if (end === -1 || (start === cursor.lineStart && cursor.text.startsWith("...", start))) return undefined;
  return scalar(cursor, start, end, "plain", cursor.text.slice(start, end));
}
