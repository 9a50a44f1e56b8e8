/** Positions and quotations for error messages about a text. */
import { cutWithDots } from "../cut.ts";

/** Formats an offset as line and column, both 1-based; columns count UTF-16 units. */
export function positionOf(text: string, offset: number): string {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf("\n"); end >= 0 && end < offset; end = text.indexOf("\n", start)) {
    line++;
    start = end + 1;
  }
  return `line ${line}, column ${offset - start + 1}`;
}

const longest = 60;

/** Quotes the caller's input in backticks, shortened so that the message stays readable. */
export const inBackticks = (words: string): string => `\`${cutWithDots(words, longest)}\``;

/** Describes the character at an offset for an error message: quoted, as U+XXXX if invisible, or the end of the text. */
export function characterAt(text: string, offset: number): string {
  const point = text.codePointAt(offset);
  if (point === undefined) return "the end of the text";
  const visible = point > 0x20 && point !== 0x7f && !(point >= 0xd800 && point <= 0xdfff);
  return visible ? `\`${String.fromCodePoint(point)}\`` : `U+${point.toString(16).toUpperCase().padStart(4, "0")}`;
}
