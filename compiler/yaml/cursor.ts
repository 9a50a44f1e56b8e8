/** The cursor of the fast parser: where it stands in a text, and how it goes on from line to line. */
import type { Source, Span } from "../source.ts";
import type { MapEntry, ScalarNode, ScalarStyle, YamlNode } from "./node.ts";
import { plainType } from "./scalar-type.ts";

/** A place in the text: the line that is being read, how far it is indented, and what comes next in it. */
export interface Cursor {
  readonly source: Source;
  readonly text: string;
  lineStart: number;
  lineEnd: number;
  /** Columns before the first character of the line; -1 at the end of the text, -2 at a line that is too long. */
  indent: number;
  at: number;
}

/** Levels of lists and mappings that are read quickly. */
export const deepest = 50;

// A regular expression needs memory for each character that it may have to give back.
const longest = 10_000;

/** Goes to the next line that is neither empty nor a comment. */
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

/** Returns where the next character stands that is no space. */
export function afterSpaces(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) === 32) at++;
  return at;
}

/** A stretch of the text. */
export const spanIn = (cursor: Cursor, start: number, end: number): Span => ({ source: cursor.source, start, end });

/** A text that was read, with its place. */
export function scalar(cursor: Cursor, start: number, end: number, style: ScalarStyle, text: string): ScalarNode {
  const span = spanIn(cursor, start, end);
  return { kind: "scalar", type: style === "plain" ? plainType(text) : "text", text, style, span, token: span };
}

/** Is there nothing but spaces, or a comment, between here and the line's end? */
export function isLineOver({ text, lineEnd }: Cursor, from: number): boolean {
  const at = afterSpaces(text, from);
  return at >= lineEnd || (text[at] === "#" && at > from);
}

/** Where what a sticky expression finds at a place ends; -1 where it finds nothing. */
export function endOf(form: RegExp, text: string, at: number): number {
  form.lastIndex = at;
  return form.test(text) ? form.lastIndex : -1;
}

/** Goes to the line behind a value, which must be over. */
export function ended<Value extends YamlNode>(cursor: Cursor, value: Value | undefined, indent: number): Value | undefined {
  if (value === undefined || !isLineOver(cursor, value.span.end)) return undefined;
  nextLine(cursor);
  // A line further to the right would go on with this value.
  return cursor.indent > indent ? undefined : value;
}

const few = 8;

/** Says whether a mapping names something twice. */
export function hasKeyTwice(entries: readonly MapEntry[]): boolean {
  if (entries.length > few) return new Set(entries.map(({ key }) => key.text)).size < entries.length;
  return entries.some(({ key }, at) => {
    for (let before = 0; before < at; before++) if (entries[before]?.key.text === key.text) return true;
    return false;
  });
}
