/** Substring search in linear time. V8's own search is quadratic for strings crafted against it. */
import { work } from "./work.ts";

// Below these bounds the native search cannot cost much, and is much faster.
const short = 16;
const small = 16_384;
const isCheap = (text: string, part: string): boolean => part.length <= short || text.length * part.length <= small;

/** Like `text.indexOf(part, from)`. */
export function findText(text: string, part: string, from = 0): number {
  if (!isCheap(text, part)) return places(text, part, from).next().value ?? -1;
  const at = text.indexOf(part, from);
  work(1 + ((at < 0 ? text.length : at) - from) * costOf(part));
  return at;
}

/** Like `text.lastIndexOf(part, from)`. */
export function findLastText(text: string, part: string, from = text.length): number {
  if (isCheap(text, part)) {
    work(1 + text.length * costOf(part));
    return text.lastIndexOf(part, from);
  }
  let last = -1;
  for (const place of places(text, part, 0)) {
    if (place > from) break;
    last = place;
  }
  return last;
}

/** Work of the native search for each UTF-16 unit of the text. */
const costOf = (part: string): number => (4 + part.length) / 8;

/** Yields every offset of `part`, from left to right, overlaps included (Knuth-Morris-Pratt). */
function* places(text: string, part: string, from: number): Generator<number, undefined> {
  work(part.length / 2);
  // Failure table: the length of the longest proper prefix of part[0..i] that is also its suffix.
  const borders = new Int32Array(part.length);
  let matched = 0;
  for (let i = 1; i < part.length; i += 1) {
    while (matched > 0 && part.charCodeAt(i) !== part.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (part.charCodeAt(i) === part.charCodeAt(matched)) matched += 1;
    borders[i] = matched;
  }
  matched = 0;
  let drawn = from;
  for (let i = from; i < text.length; i += 1) {
    while (matched > 0 && text.charCodeAt(i) !== part.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (text.charCodeAt(i) === part.charCodeAt(matched)) matched += 1;
    if (matched < part.length) continue;
    work((i - drawn) / 2);
    drawn = i;
    yield i - part.length + 1;
    matched = borders[matched - 1] ?? 0;
  }
  work((text.length - drawn) / 2);
}
