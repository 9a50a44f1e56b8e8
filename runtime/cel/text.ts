/** Operations on strings by code points, as CEL counts them; JavaScript counts UTF-16 units. */
import { work } from "./work.ts";

// Without the u flag: it then also matches half pairs, and needs no table of Unicode properties.
const surrogate = /[\uD800-\uDFFF]/;

/** Whether the string has no surrogates, so that code point positions equal UTF-16 offsets. */
export const isFlat = (text: string): boolean => !surrogate.test(text);

/** Replaces every half surrogate pair with U+FFFD. */
export const wellFormed = (text: string): string => (isFlat(text) ? text : text.replace(/[\uD800-\uDFFF]/gu, "\uFFFD"));

/** Returns the number of code points. */
export function codePointCount(text: string): number {
  work(1 + text.length / 8);
  if (isFlat(text)) return text.length;
  work(text.length / 2);
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Returns the UTF-16 offset of code point number `index`; the length if there are fewer. */
export function offsetOf(text: string, index: number): number {
  if (isFlat(text)) return Math.min(index, text.length);
  work(Math.min(index, text.length) / 2);
  let offset = 0;
  for (let seen = 0; seen < index && offset < text.length; seen++) offset += unitsAt(text, offset);
  return offset;
}

/** Returns the number of code points before a UTF-16 offset. */
export const indexOfOffset = (text: string, offset: number): number => codePointCount(text.slice(0, offset));

const unitsAt = (text: string, offset: number): 1 | 2 => ((text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1);

/** Comparing strings up to this length is too cheap to be counted as work. */
export const shortText = 64;

/**
 * Up to this length V8 hashes a string by its content. Longer strings are hashed by length alone, so those of equal
 * length are compared one by one.
 */
export const longestSpread = 16_383;

/** Counts the work of looking up a string among `others` keys. */
export const workToFind = (text: string, others: number): void => work((text.length / 32) * (text.length > longestSpread ? 1 + others : 1));

/** `left === right` with work counted: long strings of equal length are compared up to the first difference. */
export const sameText = (left: string, right: string): boolean => (left.length > shortText ? sameLongText(left, right) : left === right);

function sameLongText(left: string, right: string): boolean {
  if (left.length !== right.length) return false;
  work(left.length / 32);
  return left === right;
}

// UTF-16 sorts surrogates below U+E000..U+FFFF, code point order above them: swap the two ranges.
const rank = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800);

/** Compares two strings by code points, which is the order of their UTF-8 bytes. */
export function compareText(left: string, right: string): -1 | 0 | 1 {
  const shorter = Math.min(left.length, right.length);
  if (shorter > shortText) work(shorter / 32);
  if (left === right) return 0;
  for (let i = 0; i < shorter; i++) {
    const a = left.charCodeAt(i);
    const b = right.charCodeAt(i);
    if (a === b) continue;
    if (i > shortText) work(i / 2);
    return rank(a) < rank(b) ? -1 : 1;
  }
  if (shorter > shortText) work(shorter / 2);
  return left.length < right.length ? -1 : 1;
}
