/** Prints strings and bytes as Go's `strconv.Quote` does. */
import { readCharacter } from "../../runtime/cel/utf8.ts";

const letters: ReadonlyMap<number, string> = new Map([
  [7, "\\a"],
  [8, "\\b"],
  [9, "\\t"],
  [10, "\\n"],
  [11, "\\v"],
  [12, "\\f"],
  [13, "\\r"],
  [34, '\\"'],
  [92, "\\\\"],
]);
const printable = /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;
const digits = (value: number, width: number): string => value.toString(16).padStart(width, "0");

function quoteCharacter(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  const letter = letters.get(point);
  if (letter !== undefined) return letter;
  if (printable.test(character)) return character;
  return point < 0x80 ? `\\x${digits(point, 2)}` : point < 0x10000 ? `\\u${digits(point, 4)}` : `\\U${digits(point, 8)}`;
}

const quotePlain = (text: string): string => [...text].map(quoteCharacter).join("");

/** Returns a string in double quotes, as Go quotes it. */
export const quoteString = (text: string): string => `"${quotePlain(text)}"`;

/** Returns bytes in double quotes: valid UTF-8 as text, other bytes escaped. */
export function quoteBytes(octets: Uint8Array): string {
  let text = "";
  for (let at = 0; at < octets.length;) {
    const character = readCharacter(octets, at);
    text += character === undefined ? `\\x${digits(octets[at] ?? 0, 2)}` : quoteCharacter(String.fromCodePoint(character.code));
    at += character?.length ?? 1;
  }
  return `b"${text}"`;
}
