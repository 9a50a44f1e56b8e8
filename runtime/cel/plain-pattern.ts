/** Recognises regular expressions that are plain prefix, suffix or substring tests, and need no regex engine. */
import { findText } from "./search.ts";

/** Says whether the pattern is found in a text. */
export type Plain = (text: string) => boolean;

// What means something in a pattern, and halves of pairs, which a pattern takes as characters and a search as units.
const special = /[\\.+*?()|[\]{}^$\uD800-\uDFFF]/;
const escaped = /\\([\\.+*?()|[\]{}^$\-/@])/g;

/** Returns how to decide a pattern without the machine: `^text`, `text$`, `^text$`, `text`, `^text.*$`, `^(a|b)$`; undefined where it takes one. */
export function readPlain(pattern: string): Plain | undefined {
  const starts = pattern.startsWith("^");
  const unanchored = pattern.startsWith(".*");
  const head = starts ? pattern.slice(1) : unanchored ? pattern.slice(2) : pattern;
  // An unescaped `$` ends the text; what is left must be text alone, so `\$` is told apart there.
  const ends = head.endsWith("$");
  const body = ends ? head.slice(0, -1) : head;
  const open = body.endsWith(".*");
  const text = textOf(open ? body.slice(0, -2) : body);
  if (text === undefined) return starts && ends && !open ? readChoice(body) : undefined;
  // A dot is no line break.
  if (open && ends) return starts ? (given) => given.startsWith(text) && !given.includes("\n", text.length) : undefined;
  if (starts) return ends ? (given) => given === text : (given) => given.startsWith(text);
  return ends ? (given) => given.endsWith(text) : (given) => findText(given, text) >= 0;
}

/** Returns what a pattern without operators matches; undefined where it has some. */
function textOf(pattern: string): string | undefined {
  if (!special.test(pattern)) return pattern;
  // Escapes are taken out first, so that what is left is not mistaken for one.
  return special.test(pattern.replace(escaped, "")) ? undefined : pattern.replace(escaped, "$1");
}

/** Reads `(a|b)` of plain texts. */
function readChoice(pattern: string): Plain | undefined {
  const list = /^\((?:\?:)?(.*)\)$/s.exec(pattern)?.[1]?.split("|").map(textOf);
  if (list === undefined || list.includes(undefined)) return undefined;
  const texts = new Set(list);
  return (given) => texts.has(given);
}
