/** Implementation of the string functions. Positions and lengths count code points. */
import { EvalError, evalError } from "./error.ts";
import { findLastText, findText } from "./search.ts";
import { longestList, longestText, tooLong } from "./limits.ts";
import { codePointCount, indexOfOffset, isFlat, offsetOf } from "./text.ts";
import type { Value } from "./value.ts";
import { work } from "./work.ts";

const outside = (index: bigint): EvalError => evalError("out of range", `index out of range: ${index}`);

/** `s.charAt(i)`: one character; "" if `i` is the length; an error outside. */
export function charAt(text: string, index: bigint): string | EvalError {
  const at = Number(index);
  if (at < 0 || at > text.length) return outside(index);
  if (isFlat(text)) return text.charAt(at);
  if (at > codePointCount(text)) return outside(index);
  const start = offsetOf(text, at);
  return start === text.length ? "" : String.fromCodePoint(text.codePointAt(start) ?? 0);
}

/** `s.substring(a, b)`. Positions outside the string are an error. */
export function substring(text: string, start: bigint, end?: bigint): string | EvalError {
  const from = Number(start);
  const to = end === undefined ? undefined : Number(end);
  const flat = isFlat(text);
  const length = flat ? text.length : codePointCount(text);
  if (from < 0 || from > length) return outside(start);
  if (to === undefined) return text.slice(flat ? from : offsetOf(text, from));
  if (to < 0 || to > length) return outside(end ?? start);
  if (from > to) return evalError("out of range", `invalid substring range: ${from} to ${to}`);
  return flat ? text.slice(from, to) : text.slice(offsetOf(text, from), offsetOf(text, to));
}

/** `s.indexOf(part, from)`: -1 if not found or if `from` is past the end (D45); an error if `from` is negative. */
export function indexOf(text: string, part: string, from = 0n): bigint | EvalError {
  if (from < 0n) return outside(from);
  const length = codePointCount(text);
  if (part === "") return from < BigInt(length) ? from : BigInt(length);
  if (from >= BigInt(length)) return -1n;
  return toIndex(text, findText(text, part, offsetOf(text, Number(from))));
}

/** `s.lastIndexOf(part, from)`: the last occurrence that starts at or before `from`. */
export function lastIndexOf(text: string, part: string, from?: bigint): bigint | EvalError {
  if (from === undefined) return toIndex(text, findLastText(text, part));
  if (from < 0n) return outside(from);
  const length = codePointCount(text);
  if (part === "") return from < BigInt(length) ? from : BigInt(length);
  if (from >= BigInt(length)) return -1n;
  return toIndex(text, findLastText(text, part, offsetOf(text, Number(from))));
}

const toIndex = (text: string, offset: number): bigint => BigInt(offset <= 0 || isFlat(text) ? offset : indexOfOffset(text, offset));

/** `s.replace(part, by, n)`: replaces the first `n` occurrences; all if `n` is negative. */
export function replace(text: string, part: string, by: string, most = -1n): string | EvalError {
  if (most === 0n) return text;
  const pieces = split(text, part, most < 0n ? -1n : most + 1n);
  if (pieces instanceof EvalError) return pieces;
  // An empty `part` occurs before each character and at the end.
  const all = part === "" ? aroundCharacters(text, pieces, most) : pieces;
  const length = all.reduce((sum, piece) => sum + piece.length + by.length, 0);
  return length - by.length > longestText ? tooLong("string") : all.join(by);
}

function aroundCharacters(text: string, characters: readonly string[], most: bigint): readonly string[] {
  const places = BigInt(codePointCount(text)) + 1n;
  if (most < 0n || most >= places) return ["", ...characters, ""];
  return ["", ...characters.slice(0, Number(most) - 1), characters.slice(Number(most) - 1).join("")];
}

/**
 * `s.split(separator, n)`: at most `n` pieces, the last one unsplit; all pieces if `n` is negative. An empty
 * separator splits into characters.
 */
export function split(text: string, separator: string, most = -1n): readonly string[] | EvalError {
  if (most === 0n) return [];
  const limit = most < 0n || most > BigInt(longestList) ? longestList : Number(most);
  const pieces: string[] = [];
  let start = 0;
  while (pieces.length < limit - 1) {
    const next = separator === "" ? nextCharacter(text, start) : findText(text, separator, start);
    if (next < 0) break;
    pieces.push(text.slice(start, next));
    start = next + separator.length;
  }
  if (pieces.length === longestList - 1) return tooLong("list");
  // Splitting into characters leaves no empty last piece.
  if (separator === "" && text === "") return [];
  pieces.push(text.slice(start));
  return pieces;
}

/** Returns the offset of the next character, or -1 if this is the last. */
function nextCharacter(text: string, start: number): number {
  const next = start + ((text.codePointAt(start) ?? 0) > 0xffff ? 2 : 1);
  return next < text.length ? next : -1;
}

/** `list.join(separator)`. An element that is no string is an error. */
export function join(list: readonly Value[], separator = ""): string | EvalError {
  const pieces: string[] = [];
  let length = 0;
  for (const element of list) {
    if (typeof element !== "string") return evalError("no such overload", "join takes a list of strings");
    length += element.length + separator.length;
    if (length > longestText) return tooLong("string");
    pieces.push(element);
  }
  return pieces.join(separator);
}

// Without the u flag: no code points are needed.
const beyondAscii = /[\u0080-\uFFFF]/;

/** Converts A to Z to lower case; other letters stay. */
export const lowerAscii = (text: string): string =>
  beyondAscii.test(text) ? text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : text.toLowerCase();
/** Converts a to z to upper case; other letters stay. */
export const upperAscii = (text: string): string =>
  beyondAscii.test(text) ? text.replace(/[a-z]+/g, (letters) => letters.toUpperCase()) : text.toUpperCase();

/** Reverses the order of code points. */
export const reverse = (text: string): string => Array.from(text).reverse().join("");

// Unicode's White_Space. JavaScript's trim() differs: it also removes U+FEFF and keeps U+0085.
const spaces: ReadonlySet<number> = new Set([
  0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0x85, 0xa0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009,
  0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000,
]);

/** Removes white space at both ends. */
export function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && spaces.has(text.charCodeAt(start))) start += 1;
  while (end > start && spaces.has(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

const quoted: ReadonlyMap<string, string> = new Map([
  ["\u0007", "\\a"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\v", "\\v"],
  ["\\", "\\\\"],
  ['"', '\\"'],
]);

/** `strings.quote(s)`: a quoted literal of the string. Escapes only what a literal must escape. */
export function quote(text: string): string {
  // Each escaped character costs a function call.
  const escaped = text.replace(/[\u0007-\r\\"]/g, (character) => {
    work(priceOfEscape);
    return quoted.get(character) ?? character;
  });
  return `"${escaped}"`;
}

const priceOfEscape = 32;
