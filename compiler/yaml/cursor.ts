/** The cursor of the fast parser: its position in the source, and how it moves from line to line. */
import type { Source, Span } from "../source.ts";
import type { MapEntry, ScalarNode, ScalarStyle, YamlNode } from "./node.ts";
import { plainType } from "./scalar-type.ts";

/** The position: the current line, its indentation, and the offset of the next character to read. */
export interface Cursor {
  readonly source: Source;
  readonly text: string;
  lineStart: number;
  lineEnd: number;
  /** The indentation of the line; -1 at the end of the source, -2 at a line that is too long. */
  indent: number;
  at: number;
}

/** The maximum nesting depth of the fast parser. */
export const maximumDepth = 50;

// The maximum length of a line. Longer ones are left to the full parser, because a regular expression needs memory
// for each character that it may have to backtrack over.
const longest = 10_000;

/** Moves to the next line that is neither empty nor a comment. */
export function nextLine(cursor: Cursor): void {
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
    cursor.at = skipSpaces(text, cursor.lineStart);
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

/** Returns the offset of the first character from `from` on that is not a space. */
export function skipSpaces(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) === 32) at++;
  return at;
}

/** Returns a span of the source. */
export const spanIn = (cursor: Cursor, start: number, end: number): Span => ({ source: cursor.source, start, end });

/** Makes a scalar node with its span. */
export function scalar(cursor: Cursor, start: number, end: number, style: ScalarStyle, text: string): ScalarNode {
  const span = spanIn(cursor, start, end);
  return { kind: "scalar", type: style === "plain" ? plainType(text) : "string", text, style, span, token: span };
}

/** Whether only spaces or a comment follow until the end of the line. */
export function isRestOfLineBlank({ text, lineEnd }: Cursor, from: number): boolean {
  const at = skipSpaces(text, from);
  return at >= lineEnd || (text[at] === "#" && at > from);
}

/** Returns the end of the match of a sticky expression at an offset; -1 if it does not match. */
export function endOf(form: RegExp, text: string, at: number): number {
  form.lastIndex = at;
  return form.test(text) ? form.lastIndex : -1;
}

/** Checks that a value ends its line, and moves to the next line. Returns undefined if the full parser must decide. */
export function finishLine<Value extends YamlNode>(cursor: Cursor, value: Value | undefined, indent: number): Value | undefined {
  if (value === undefined || !isRestOfLineBlank(cursor, value.span.end)) return undefined;
  nextLine(cursor);
  // A line that is indented further would continue this value.
  return cursor.indent > indent ? undefined : value;
}

const few = 8;

/** Whether a mapping has a duplicate key. */
export function hasDuplicateKey(entries: readonly MapEntry[]): boolean {
  if (entries.length > few) return new Set(entries.map(({ key }) => key.text)).size < entries.length;
  return entries.some(({ key }, at) => {
    for (let before = 0; before < at; before++) if (entries[before]?.key.text === key.text) return true;
    return false;
  });
}
