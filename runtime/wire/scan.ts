/** Scans JSON by its grammar to say what is wrong with it, and where: syntax, a duplicate key, a number out of range, too deep. */
import { inBackticks } from "./position.ts";
import { endOfScalar, endOfString, expected, skipSpace, type TextProblem } from "./token.ts";

/** How deep a request may nest; everything that walks attributes by recursion relies on it. */
export const maximumDepth = 1_000;

/** One key or index for each level down to a value. */
export type JsonPath = readonly (string | number)[];

/** Called at each value with its path (alive: do not keep it), where its key stands (or itself, without key), and where it stands. */
type Visit = (path: JsonPath, key: number, value: number) => void;

/** An object keeps the keys it has shown so far; a list needs none. */
type Level = Set<string> | undefined;

/** Finds the first thing wrong with a JSON text, or nothing. Never recurses, whatever the nesting. */
export function scanJson(text: string, visit?: Visit): TextProblem | undefined {
  const levels: Level[] = [];
  const path: (string | number)[] = [];
  let at = skipSpace(text, 0);
  let key = at;

  for (;;) {
    // A value stands here.
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

    // A value has ended here: close what closes, then find the next one.
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

/** Reads a key and its colon. Keys are compared as they read, not as they are spelled: `"\u0061"` is `"a"`. */
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

/** Finds where the key (or, with `of` "value", the value) at a path stands in a sound JSON text. */
export function locate(text: string, wanted: JsonPath, of: "key" | "value"): number {
  let found = 0;
  scanJson(text, (path, key, value) => {
    if (path.length === wanted.length && path.every((step, i) => step === wanted[i])) found = of === "key" ? key : value;
  });
  return found;
}

/**
 * Counts what looks like a key of an object: a colon that follows a quote. A string that begins with a colon, or holds
 * an escaped quote before one, is counted too; no key is ever missed. So when the count equals the number of keys that
 * the parsed value has, no key was given twice; when it does not, `scanJson` says which of the two it was.
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

/** Lists the keys of the object at a path in the order of a sound JSON text. */
export function keysInOrder(text: string, wanted: JsonPath): readonly string[] {
  const keys: string[] = [];
  scanJson(text, (path) => {
    if (path.length === wanted.length + 1 && wanted.every((step, i) => step === path[i])) keys.push(String(path.at(-1)));
  });
  return keys;
}
