/**
 * Reads the plain YAML that nearly all policies are written in, in one look and without garbage. Whatever is not quite plain
 * (a mistake, an anchor, a tag, an unusual escape, a value of several lines but `|`) it does not read at all: the whole parser decides.
 * What it reads, it reads as the whole parser does: `test/compiler/yaml/quick.test.ts` holds one against the other.
 */
import type { Source, Span } from "../source.ts";
import type { ListNode, MapEntry, MapNode, ScalarNode, ScalarStyle, YamlNode } from "./node.ts";
import { plainType } from "./scalar-type.ts";

/** A place in the text: the line that is being read, how far it is indented, and what comes next in it. */
interface Cursor {
  readonly source: Source;
  readonly text: string;
  lineStart: number;
  lineEnd: number;
  /** Columns before the first character of the line; -1 at the end of the text, -2 at a line that is too long. */
  indent: number;
  at: number;
}

/** Returns the mapping that a text is, or undefined where this reader cannot tell. */
export function readQuickly(source: Source): MapNode | undefined {
  if (unusual.test(source.text)) return undefined;
  const cursor: Cursor = { source, text: source.text, lineStart: 0, lineEnd: -1, indent: 0, at: 0 };
  nextLine(cursor);
  if (cursor.text.startsWith("---\n", cursor.lineStart)) nextLine(cursor);
  const map = cursor.indent === 0 ? readMap(cursor, 0, 0) : undefined;
  return cursor.indent === -1 ? map : undefined;
}

// Tabs, carriage returns, control characters, other line breaks, byte order marks.
const unusual = /[^\n -~\u00a1-\u1fff\u2030-\ud7ff\ue000-\ufdcf\ufdf0-\ufefe\uff00-\uffef]/;
const deepest = 50;
// A regular expression needs memory for each character that it may have to give back.
const longest = 10_000;

/** Goes to the next line that is neither empty nor a comment. */
function nextLine(cursor: Cursor): void {
  const { text } = cursor;
  for (;;) {
    cursor.lineStart = cursor.lineEnd + 1;
    if (cursor.lineStart >= text.length) {
      cursor.indent = -1;
      cursor.at = text.length;
      cursor.lineStart = cursor.lineEnd = text.length;
      return;
    }
    const end = text.indexOf("\n", cursor.lineStart);
    cursor.lineEnd = end === -1 ? text.length : end;
    cursor.at = afterSpaces(text, cursor.lineStart);
    if (cursor.lineEnd - cursor.lineStart > longest) {
      cursor.indent = -2;
      return;
    }
    if (cursor.at < cursor.lineEnd && text[cursor.at] !== "#") {
      cursor.indent = cursor.at - cursor.lineStart;
      return;
    }
  }
}

function afterSpaces(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) === 32) at++;
  return at;
}

const spanIn = (cursor: Cursor, start: number, end: number): Span => ({ source: cursor.source, start, end });

function scalar(cursor: Cursor, start: number, end: number, style: ScalarStyle, text: string): ScalarNode {
  const span = spanIn(cursor, start, end);
  return { kind: "scalar", type: style === "plain" ? plainType(text) : "text", text, style, span, token: span };
}

/** Is there nothing but spaces, or a comment, between here and the line's end? */
function isLineOver({ text, lineEnd }: Cursor, from: number): boolean {
  const at = afterSpaces(text, from);
  return at >= lineEnd || (text[at] === "#" && at > from);
}

/** Reads a block mapping whose keys stand at a column; the cursor stands at the first. */
function readMap(cursor: Cursor, indent: number, depth: number, first = readKey(cursor)): MapNode | undefined {
  const { at: start, text } = cursor;
  const entries: MapEntry[] = [];
  let key = first;
  const colon = key?.span.end ?? start;
  for (;;) {
    if (key === undefined || depth > deepest) return undefined;
    const from = key.span.end + 1;
    const value = isLineOver(cursor, from) ? readNested(cursor, indent, depth) : readInline(cursor, afterSpaces(text, from), indent);
    if (value === undefined) return undefined;
    entries.push({ key, value });
    if (cursor.indent !== indent) break;
    key = readKey(cursor);
  }
  const end = entries.at(-1)?.value.span.end ?? start;
  return cursor.indent > indent || hasKeyTwice(entries)
    ? undefined
    : { kind: "map", entries, span: spanIn(cursor, start, end), token: spanIn(cursor, colon, colon + 1) };
}

const few = 8;

function hasKeyTwice(entries: readonly MapEntry[]): boolean {
  if (entries.length > few) return new Set(entries.map(({ key }) => key.text)).size < entries.length;
  return entries.some(({ key }, at) => {
    for (let before = 0; before < at; before++) if (entries[before]?.key.text === key.text) return true;
    return false;
  });
}

const plainKey = /[A-Za-z_$][\w$./-]*(?=:[ \n])/y;
const quotedKey = /"[^"\\\n]*"(?=:[ \n])|'[^'\n]*'(?=:[ \n])/y;

/** Where what a sticky expression finds at a place ends; -1 where it finds nothing. */
function endOf(form: RegExp, text: string, at: number): number {
  form.lastIndex = at;
  return form.test(text) ? form.lastIndex : -1;
}

/** Reads a key with its colon before it; the cursor does not move. */
function readKey(cursor: Cursor): ScalarNode | undefined {
  const { text, at } = cursor;
  const isQuoted = text[at] === '"' || text[at] === "'";
  const form = isQuoted ? quotedKey : plainKey;
  const end = endOf(form, text, at);
  if (end === -1) return undefined;
  if (!isQuoted) return scalar(cursor, at, end, "plain", text.slice(at, end));
  return scalar(cursor, at, end, text[at] === '"' ? "double" : "single", text.slice(at + 1, end - 1));
}

/** Reads what stands below a key: a mapping further to the right, or a list there or right below. */
function readNested(cursor: Cursor, indent: number, depth: number): YamlNode | undefined {
  nextLine(cursor);
  if (isItem(cursor) && cursor.indent >= indent) return readList(cursor, cursor.indent, depth + 1);
  return cursor.indent > indent ? readMap(cursor, cursor.indent, depth + 1) : undefined;
}

const isItem = ({ text, at }: Cursor): boolean => text[at] === "-" && text[at + 1] === " ";

/** Reads a block list whose dashes stand at a column. */
function readList(cursor: Cursor, indent: number, depth: number): ListNode | undefined {
  const start = cursor.at;
  const items: YamlNode[] = [];
  do {
    if (isLineOver(cursor, cursor.at + 1)) return undefined;
    const from = afterSpaces(cursor.text, cursor.at + 1);
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

/** Reads a value that starts on a key's or dash's own line, and goes to the next line. */
function readInline(cursor: Cursor, start: number, indent: number): YamlNode | undefined {
  if (cursor.text[start] === "|") return readLiteral(cursor, start, indent);
  const value = flowStart.includes(cursor.text[start] ?? "") ? readFlow(cursor, start, 0) : readPlain(cursor, start);
  if (value === undefined || !isLineOver(cursor, value.span.end)) return undefined;
  nextLine(cursor);
  // A line further to the right would go on with this value.
  return cursor.indent > indent ? undefined : value;
}

const flowStart = "\"'[{";

// What cannot be taken for anything else: `: ` and ` #` mean something, and so do most signs at the start.
const plain = /(?:[A-Za-z0-9_/.$(~<=^]|-(?=[0-9]))(?:[^\n:# ]|:(?![ \n]|$)|(?<! )#| +(?![# \n]|$))*/y;

function readPlain(cursor: Cursor, start: number): ScalarNode | undefined {
  const end = endOf(plain, cursor.text, start);
  if (end === -1 || (start === cursor.lineStart && cursor.text.startsWith("...", start))) return undefined;
  return scalar(cursor, start, end, "plain", cursor.text.slice(start, end));
}

const flowScalar =
  /"[^"\\\n]*(?:\\["\\][^"\\\n]*)*"|'[^'\n]*(?:''[^'\n]*)*'(?!')|(?:[A-Za-z0-9_/.$(~^]|-(?=[0-9]))(?:[^\n:#"',[\]{} ]|:(?![ \n,[\]{}])| +(?![#:, \n\]}]))*/y;

/** Reads a quoted text, or a list or mapping in brackets, on one line. */
function readFlow(cursor: Cursor, start: number, depth: number): YamlNode | undefined {
  const { text } = cursor;
  const open = text[start];
  if (open !== "[" && open !== "{") return readFlowScalar(cursor, start);
  if (depth > deepest) return undefined;
  const close = open === "[" ? "]" : "}";
  const items: YamlNode[] = [];
  const entries: MapEntry[] = [];
  let at = afterSpaces(text, start + 1);
  for (let isFirst = true; !(isFirst && text[at] === close); isFirst = false) {
    if (open === "{") {
      const key = readFlowScalar(cursor, at);
      if (key === undefined || key.text === "<<" || !text.startsWith(": ", key.span.end)) return undefined;
      const value = readFlow(cursor, afterSpaces(text, key.span.end + 1), depth + 1);
      if (value === undefined) return undefined;
      entries.push({ key, value });
      at = afterSpaces(text, value.span.end);
    } else {
      const item = readFlow(cursor, at, depth + 1);
      if (item === undefined) return undefined;
      items.push(item);
      at = afterSpaces(text, item.span.end);
    }
    if (text[at] === close) break;
    if (text[at] !== "," || text[at + 1] !== " ") return undefined;
    at = afterSpaces(text, at + 1);
  }
  if (hasKeyTwice(entries)) return undefined;
  const span = spanIn(cursor, start, at + 1);
  const token = spanIn(cursor, start, start + 1);
  return open === "[" ? { kind: "list", items, span, token } : { kind: "map", entries, span, token };
}

function readFlowScalar(cursor: Cursor, start: number): ScalarNode | undefined {
  const { text } = cursor;
  const end = endOf(flowScalar, text, start);
  if (end === -1) return undefined;
  if (text[start] === '"') return scalar(cursor, start, end, "double", text.slice(start + 1, end - 1).replaceAll(/\\(.)/g, "$1"));
  if (text[start] === "'") return scalar(cursor, start, end, "single", text.slice(start + 1, end - 1).replaceAll("''", "'"));
  return scalar(cursor, start, end, "plain", text.slice(start, end));
}

const literalHeader = /\|-?(?=\n)/y;

/** Reads the lines below a `|` or `|-`. */
function readLiteral(cursor: Cursor, start: number, indent: number): ScalarNode | undefined {
  const { text } = cursor;
  literalHeader.lastIndex = start;
  const header = literalHeader.exec(text)?.[0];
  if (header === undefined) return undefined;
  const lines: string[] = [];
  const first = afterSpaces(text, cursor.lineEnd + 1);
  const column = first - cursor.lineEnd - 1;
  let end = cursor.lineEnd;
  for (let from = cursor.lineEnd + 1; from < text.length;) {
    const to = text.indexOf("\n", from);
    const content = afterSpaces(text, from);
    if (to === -1 || (content === to && content > from)) return undefined;
    if (content === to) {
      // An empty line counts only when another one follows.
      if (lines.length === 0) return undefined;
    } else if (content - from < column) break;
    lines.push(text.slice(Math.min(from + column, to), to));
    if (content < to) end = to;
    from = to + 1;
  }
  while (lines.at(-1) === "") lines.pop();
  if (column <= indent || lines.length === 0) return undefined;
  cursor.lineEnd = end;
  nextLine(cursor);
  if (cursor.indent > indent) return undefined;
  return scalar(cursor, start, end + 1, "literal", lines.join("\n") + (header === "|" ? "\n" : ""));
}
