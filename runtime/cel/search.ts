/** Substring search in linear time: the engine's own is quadratic for strings made to be so. */
import { work } from "./work.ts";

// What is this short cannot cost much, and the engine is much faster.
const short = 16;
const small = 16_384;
const isCheap = (text: string, part: string): boolean => part.length <= short || text.length * part.length <= small;

/** As `text.indexOf(part, from)`. */
export function findText(text: string, part: string, from = 0): number {
  if (!isCheap(text, part)) return places(text, part, from).next().value ?? -1;
  const at = text.indexOf(part, from);
  work(1 + ((at < 0 ? text.length : at) - from) * costOf(part));
  return at;
}

/** As `text.lastIndexOf(part, from)`. */
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

/** What the engine's search costs for each unit of the text. */
const costOf = (part: string): number => (4 + part.length) / 8;

/** Every place where a part stands, from left to right (Knuth, Morris and Pratt). */
function* places(text: string, part: string, from: number): Generator<number, undefined> {
  work(part.length / 2);
  // How much of the part's beginning is the end of its first i + 1 units.
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
