/** Strings by code points, as CEL counts them, where JavaScript counts UTF-16 units. */
import { work } from "./work.ts";

// Without the u flag: a lone half of a pair is found too, and no table of properties is needed.
const surrogate = /[\uD800-\uDFFF]/;

/** Says whether every code point is one UTF-16 unit, so that offsets mean the same in both counts. */
export const isFlat = (text: string): boolean => !surrogate.test(text);

/** Returns the text with every lone half of a surrogate pair replaced by U+FFFD. */
export const wellFormed = (text: string): string => (isFlat(text) ? text : text.replace(/[\uD800-\uDFFF]/gu, "\uFFFD"));

/** Counts code points. */
export function codePointCount(text: string): number {
  work(1 + text.length / 8);
  if (isFlat(text)) return text.length;
  work(text.length / 2);
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Returns the UTF-16 offset of the code point number `index`, or the end when there are fewer. */
export function offsetOf(text: string, index: number): number {
  if (isFlat(text)) return Math.min(index, text.length);
  work(Math.min(index, text.length) / 2);
  let offset = 0;
  for (let seen = 0; seen < index && offset < text.length; seen++) offset += unitsAt(text, offset);
  return offset;
}

/** Returns how many code points precede a UTF-16 offset. */
export const indexOfOffset = (text: string, offset: number): number => codePointCount(text.slice(0, offset));

const unitsAt = (text: string, offset: number): 1 | 2 => ((text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1);

/** A text up to this length is too little work to be counted. */
export const shortText = 64;

/** Up to this length a text is looked up by what is in it; longer ones of one length are compared one by one, as the engine has it. */
export const longestSpread = 16_383;

/** Draws what it takes to look a text up among others. */
export const workToFind = (text: string, others: number): void => work((text.length / 32) * (text.length > longestSpread ? 1 + others : 1));

/** As `left === right`. Long texts of one length are compared to the first difference, which may be at the end. */
export const sameText = (left: string, right: string): boolean => (left.length > shortText ? sameLongText(left, right) : left === right);

function sameLongText(left: string, right: string): boolean {
  if (left.length !== right.length) return false;
  work(left.length / 32);
  return left === right;
}

// Surrogates stand below U+E000..U+FFFF in UTF-16 but above them in code points: move them there.
const rank = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800);

/** Orders two strings by code points, as the bytes of their UTF-8 forms would be. */
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
