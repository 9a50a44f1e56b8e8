/** Positions and quotations for error messages about a text. */
import { cutWithDots } from "../cut.ts";

/** Formats an offset as line and column, both 1-based; columns count characters, as editors do. */
export function positionOf(text: string, offset: number): string {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf("\n"); end >= 0 && end < offset; end = text.indexOf("\n", start)) {
    line++;
    start = end + 1;
  }
  return `line ${line}, column ${charactersBetween(text, start, offset) + 1}`;
}

function charactersBetween(text: string, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) count++;
  return count;
}

const longest = 60;

/** Quotes the caller's input in backticks, shortened so that the message stays readable. */
export const inBackticks = (words: string): string => `\`${cutWithDots(words, longest)}\``;

/** Spaces of every kind, controls, marks of direction and byte order, halves of surrogate pairs. */
const invisible = /[\s\p{C}\p{Default_Ignorable_Code_Point}]/u;

/** Describes the character at an offset for an error message: quoted, as U+XXXX if invisible, or the end of the text. */
export function characterAt(text: string, offset: number): string {
  const point = text.codePointAt(offset);
  if (point === undefined) return "the end of the text";
  const character = String.fromCodePoint(point);
  return invisible.test(character) ? `U+${point.toString(16).toUpperCase().padStart(4, "0")}` : `\`${character}\``;
}
