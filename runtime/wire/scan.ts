/** A JSON scanner that finds the first error and its offset: syntax, a duplicate key, a number out of range, too deep nesting. */
import { inBackticks } from "./position.ts";
import { endOfScalar, endOfString, expected, skipSpace, type TextProblem } from "./token.ts";

/** The deepest allowed nesting. Every recursive walk over attributes relies on this bound. */
export const maximumDepth = 1_000;

/** The path to a value: one key or index a level. */
export type JsonPath = readonly (string | number)[];

/**
 * Called at each value. `path` is reused, so do not keep it; `key` is the offset of the value's key (of the value
 * itself in a list), `value` the offset of the value.
 */
type Visit = (path: JsonPath, key: number, value: number) => void;

/** For an open object the keys seen so far; undefined for an open list. */
type Level = Set<string> | undefined;

/**
 * Returns the first error in a JSON text, or undefined if it is valid. Iterative, so that deep nesting cannot
 * overflow the stack.
 */
export function scanJson(text: string, visit?: Visit): TextProblem | undefined {
  const levels: Level[] = [];
  const path: (string | number)[] = [];
  let at = skipSpace(text, 0);
  let key = at;

  for (;;) {
    // `at` is the start of a value.
    visit?.(path, key, at);
    const opening = text[at];
    if (opening === "{" || opening === "[") {
      if (levels.length === maximumDepth) return { offset: at, sentence: `nested deeper than ${maximumDepth} levels` };
      const inner = skipSpace(text, at + 1);
      if (text[inner] === (opening === "{" ? "}" : "]")) {
        at = inner + 1;
      } else if (opening === "[") {
        levels.push(undefined);
        path.push(0);
        key = at = inner;
        continue;
      } else {
        const keys = new Set<string>();
        const named = readKey(text, inner, keys, 'a field name in double quotes or "}"');
        if ("sentence" in named) return named;
        levels.push(keys);
        path.push(named.name);
        key = inner;
        at = named.value;
        continue;
      }
    } else {
      const end = endOfScalar(text, at);
      if (typeof end !== "number") return end;
      at = end;
    }

    // A value has ended: close lists and objects that end here, then go to the next value.
    for (;;) {
      at = skipSpace(text, at);
      if (levels.length === 0) return at === text.length ? undefined : expected("the end of the text", text, at);
      const keys = levels.at(-1);
      const closing = keys === undefined ? "]" : "}";
      if (text[at] === closing) {
        levels.pop();
        path.pop();
        at++;
        continue;
      }
      if (text[at] !== ",") return expected(`"," or "${closing}"`, text, at);
      at = skipSpace(text, at + 1);
      if (keys === undefined) {
        path.push(Number(path.pop()) + 1);
        key = at;
        break;
      }
      const named = readKey(text, at, keys, "a field name in double quotes");
      if ("sentence" in named) return named;
      path.pop();
      path.push(named.name);
      key = at;
      at = named.value;
      break;
    }
  }
}

/** Reads a key and its colon. Keys are compared unescaped: `"\u0061"` equals `"a"`. */
function readKey(
  text: string,
  at: number,
  keys: Set<string>,
  wanted: string,
): { readonly name: string; readonly value: number } | TextProblem {
  if (text[at] !== '"') return expected(wanted, text, at);
  const end = endOfString(text, at);
  if (typeof end !== "number") return end;
  const spelled = text.slice(at + 1, end - 1);
  const name = spelled.includes("\\") ? String(JSON.parse(text.slice(at, end))) : spelled;
  if (keys.has(name)) return { offset: at, sentence: `duplicate field ${inBackticks(name)}` };
  keys.add(name);
  const colon = skipSpace(text, end);
  if (text[colon] !== ":") return expected('":" after a field name', text, colon);
  return { name, value: skipSpace(text, colon + 1) };
}

/** Returns the offset of the key (or, with `of` "value", of the value) at a path in valid JSON text; 0 if there is none. */
export function locate(text: string, wanted: JsonPath, of: "key" | "value"): number {
  let found = 0;
  scanJson(text, (path, key, value) => {
    if (path.length === wanted.length && path.every((step, i) => step === wanted[i])) found = of === "key" ? key : value;
  });
  return found;
}

/**
 * Counts what may be keys: colons that follow a quote, white space aside. Strings can cause a count too high (one
 * that begins with a colon, or holds an escaped quote before one), never one too low. So if the count equals the keys
 * of the parsed value, no key was given twice; if not, `scanJson` finds out which it is.
 */
export function countKeyColons(text: string): number {
  let count = 0;
  for (let colon = text.indexOf(":"); colon >= 0; colon = text.indexOf(":", colon + 1)) {
    let before = colon - 1;
    let unit = text.charCodeAt(before);
    while (unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09) unit = text.charCodeAt(--before);
    if (unit === 0x22) count++;
  }
  return count;
}

/** Lists the keys of the object at a path, in the order of the valid JSON text. */
export function keysInOrder(text: string, wanted: JsonPath): readonly string[] {
  const keys: string[] = [];
  scanJson(text, (path) => {
    if (path.length === wanted.length + 1 && wanted.every((step, i) => step === path[i])) keys.push(String(path.at(-1)));
  });
  return keys;
}
