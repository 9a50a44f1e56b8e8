/** Reads flow collections in the fast parser: lists and mappings in brackets, and the scalars in them. */
import { skipSpaces, maximumDepth, endOf, finishLine, hasDuplicateKey, nextLine, scalar, spanIn, type Cursor } from "./cursor.ts";
import type { ListNode, MapEntry, MapNode, ScalarNode, YamlNode } from "./node.ts";

/** Whether a character opens a flow list or mapping. */
export const opensFlowCollection = (sign: string | undefined): boolean => sign === "[" || sign === "{";

const flowScalar =
  /"[^"\\\n]*(?:\\["\\][^"\\\n]*)*"|'[^'\n]*(?:''[^'\n]*)*'(?!')|(?:[A-Za-z0-9_/.$(~^]|-(?=[0-9]))(?:[^\n:#"',[\]{} ]|:(?![ \n,[\]{}])| +(?![#:, \n\]}]))*/y;

/** Reads a flow list or mapping and moves to the line after it. Its further lines must be indented by at least `column`. */
export function readFlowCollection(cursor: Cursor, start: number, indent: number, column: number): ListNode | MapNode | undefined {
  const value = readFlow(cursor, start, column, 0);
  return value === undefined || value.kind === "scalar" ? undefined : finishLine(cursor, value, indent);
}

/** Returns the offset of the next token inside brackets, on this line or a later one; -1 if the full parser must decide. */
function afterGap(cursor: Cursor, from: number, column: number, depth: number): number {
  const { text } = cursor;
  const at = skipSpaces(text, from);
  if (text[at] !== "\n") return at;
  cursor.lineEnd = at;
  nextLine(cursor);
  if (cursor.indent < 0 || hasComment(text, at, cursor.lineStart)) return -1;
  const isEnd = text[cursor.at] === "]" || text[cursor.at] === "}";
  // Only the outermost closing bracket may be indented as little as its parent. At column 0 a line could be a
  // document marker.
  const least = isEnd && depth === 0 ? column - 1 : Math.max(column, 1);
  return cursor.indent < least ? -1 : cursor.at;
}

const hasComment = (text: string, from: number, to: number): boolean => text.slice(from, to).includes("#");

/** Reads a quoted or plain scalar, or a flow list or mapping. */
function readFlow(cursor: Cursor, start: number, column: number, depth: number): YamlNode | undefined {
  const { text } = cursor;
  const open = text[start];
  if (open !== "[" && open !== "{") return readFlowScalar(cursor, start);
  if (depth > maximumDepth) return undefined;
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
  if (hasDuplicateKey(entries)) return undefined;
  const span = spanIn(cursor, start, at + 1);
  const token = spanIn(cursor, start, start + 1);
  return open === "[" ? { kind: "list", items, span, token } : { kind: "map", entries, span, token };
}

/**
 * Whether a colon follows a key. After a quoted key it is a colon whatever follows it; after a plain one a space or
 * line break must follow.
 */
const isColon = (text: string, { style, span }: ScalarNode): boolean =>
  text[span.end] === ":" && (style !== "plain" || text[span.end + 1] === " " || text[span.end + 1] === "\n");

/** Reads a quoted scalar on one line, or a plain one that is allowed in brackets. */
export function readFlowScalar(cursor: Cursor, start: number): ScalarNode | undefined {
  const { text } = cursor;
  const end = endOf(flowScalar, text, start);
  if (end === -1) return undefined;
  if (text[start] === '"') return scalar(cursor, start, end, "double", text.slice(start + 1, end - 1).replaceAll(/\\(.)/g, "$1"));
  if (text[start] === "'") return scalar(cursor, start, end, "single", text.slice(start + 1, end - 1).replaceAll("''", "'"));
  return scalar(cursor, start, end, "plain", text.slice(start, end));
}
