/** Recognises regular expressions that are plain prefix, suffix, substring or equality tests and need no regex engine. */
import { findText } from "./search.ts";

/** Whether the pattern occurs in a string. */
export type Plain = (text: string) => boolean;

// Regex operators; and surrogates, which a pattern matches as code points but a string search as UTF-16 units.
const special = /[\\.+*?()|[\]{}^$\uD800-\uDFFF]/;
const escaped = /\\([\\.+*?()|[\]{}^$\-/@])/g;

/**
 * Returns a test that needs no regex engine, for patterns of the forms `^text`, `text$`, `^text$`, `text`, `^text.*$`
 * and `^(a|b)$`; undefined for all others.
 */
export function readPlain(pattern: string): Plain | undefined {
  const starts = pattern.startsWith("^");
  const unanchored = pattern.startsWith(".*");
  const head = starts ? pattern.slice(1) : unanchored ? pattern.slice(2) : pattern;
  // `$` anchors only if unescaped; a trailing backslash in `body` makes `textOf` reject it.
  const ends = head.endsWith("$");
  const body = ends ? head.slice(0, -1) : head;
  const open = body.endsWith(".*");
  const text = textOf(open ? body.slice(0, -2) : body);
  if (text === undefined) return starts && ends && !open ? readChoice(body) : undefined;
  // A dot does not match a line break.
  if (open && ends) return starts ? (given) => given.startsWith(text) && !given.includes("\n", text.length) : undefined;
  if (starts) return ends ? (given) => given === text : (given) => given.startsWith(text);
  return ends ? (given) => given.endsWith(text) : (given) => findText(given, text) >= 0;
}

/** Returns the literal string that a pattern without operators matches; undefined if it has operators. */
function textOf(pattern: string): string | undefined {
  if (!special.test(pattern)) return pattern;
  // Remove escapes first, so that an escaped backslash is not combined with what follows it.
  return special.test(pattern.replace(escaped, "")) ? undefined : pattern.replace(escaped, "$1");
}

/** Parses `(a|b)`, alternatives without operators. */
function readChoice(pattern: string): Plain | undefined {
  const list = /^\((?:\?:)?(.*)\)$/s.exec(pattern)?.[1]?.split("|").map(textOf);
  if (list === undefined || list.includes(undefined)) return undefined;
  const texts = new Set(list);
  return (given) => texts.has(given);
}
