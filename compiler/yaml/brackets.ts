/** The fast parser's flow collections: lists and mappings in brackets, and what stands in them. */
import { afterSpaces, deepest, endOf, ended, hasKeyTwice, nextLine, scalar, spanIn, type Cursor } from "./cursor.ts";
import type { ListNode, MapEntry, MapNode, ScalarNode, YamlNode } from "./node.ts";

/** Does a list or a mapping begin with it? */
export const isBracket = (sign: string | undefined): boolean => sign === "[" || sign === "{";

const flowScalar =
  /"[^"\\\n]*(?:\\["\\][^"\\\n]*)*"|'[^'\n]*(?:''[^'\n]*)*'(?!')|(?:[A-Za-z0-9_/.$(~^]|-(?=[0-9]))(?:[^\n:#"',[\]{} ]|:(?![ \n,[\]{}])| +(?![#:, \n\]}]))*/y;

/** Reads a list or mapping in brackets, whose further lines begin at a column or further to the right, and goes to the line behind it. */
export function readBrackets(cursor: Cursor, start: number, indent: number, column: number): ListNode | MapNode | undefined {
  const value = readFlow(cursor, start, column, 0);
  return value === undefined || value.kind === "scalar" ? undefined : ended(cursor, value, indent);
}

/** Returns where something comes in brackets, on this line or a later one; -1 where that is not plain. */
function afterGap(cursor: Cursor, from: number, column: number, depth: number): number {
  const { text } = cursor;
  const at = afterSpaces(text, from);
  if (text[at] !== "\n") return at;
  cursor.lineEnd = at;
  nextLine(cursor);
  if (cursor.indent < 0 || hasComment(text, at, cursor.lineStart)) return -1;
  const isEnd = text[cursor.at] === "]" || text[cursor.at] === "}";
  // Only the last bracket may stand right below what it belongs to; at the first column could be the mark of a document.
  const least = isEnd && depth === 0 ? column - 1 : Math.max(column, 1);
  return cursor.indent < least ? -1 : cursor.at;
}

const hasComment = (text: string, from: number, to: number): boolean => text.slice(from, to).includes("#");

/** Reads a quoted or plain text, or a list or mapping in brackets. */
function readFlow(cursor: Cursor, start: number, column: number, depth: number): YamlNode | undefined {
  const { text } = cursor;
  const open = text[start];
  if (open !== "[" && open !== "{") return readFlowScalar(cursor, start);
  if (depth > deepest) return undefined;
  const close = open === "[" ? "]" : "}";
  const items: YamlNode[] = [];
  const entries: MapEntry[] = [];
  let at = afterGap(cursor, start + 1, column, depth);
  while (text[at] !== close) {
    let from = at;
    if (open === "{") {
      const key = from === -1 ? undefined : readFlowScalar(cursor, from);
      if (key === undefined || key.text === "<<" || !isColon(text, key)) return undefined;
      from = afterGap(cursor, key.span.end + 1, column, depth + 1);
      const value = from === -1 ? undefined : readFlow(cursor, from, column, depth + 1);
      if (value === undefined) return undefined;
      entries.push({ key, value });
      at = value.span.end;
    } else {
      const item = from === -1 ? undefined : readFlow(cursor, from, column, depth + 1);
      if (item === undefined) return undefined;
      items.push(item);
      at = item.span.end;
    }
    at = afterGap(cursor, at, column, depth);
    if (text[at] === close) break;
    if (text[at] !== ",") return undefined;
    at = afterGap(cursor, at + 1, column, depth);
  }
  if (hasKeyTwice(entries)) return undefined;
  const span = spanIn(cursor, start, at + 1);
  const token = spanIn(cursor, start, start + 1);
  return open === "[" ? { kind: "list", items, span, token } : { kind: "map", entries, span, token };
}

/** Behind a quoted key a colon means itself, whatever follows. */
const isColon = (text: string, { style, span }: ScalarNode): boolean =>
  text[span.end] === ":" && (style !== "plain" || text[span.end + 1] === " " || text[span.end + 1] === "\n");

/** Reads a quoted text on one line, or a plain one that could stand in brackets. */
export function readFlowScalar(cursor: Cursor, start: number): ScalarNode | undefined {
  const { text } = cursor;
  const end = endOf(flowScalar, text, start);
  if (end === -1) return undefined;
  if (text[start] === '"') return scalar(cursor, start, end, "double", text.slice(start + 1, end - 1).replaceAll(/\\(.)/g, "$1"));
  if (text[start] === "'") return scalar(cursor, start, end, "single", text.slice(start + 1, end - 1).replaceAll("''", "'"));
  return scalar(cursor, start, end, "plain", text.slice(start, end));
}
