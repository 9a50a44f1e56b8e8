/** Prints a value as CEL text of bounded length; omitted parts are counted or marked. */
import { isList, isMap } from "../kind.ts";
import { Hierarchy } from "../hierarchy.ts";
import { mapSize } from "../map.ts";
import { Optional } from "../optional.ts";
import { printValue } from "../print-value.ts";
import { wellFormed } from "../text.ts";
import { CelMap, type Value } from "../value.ts";

/** Bounds: parts of a list or map, nesting levels, characters of a number. About what fits on one line. */
const maxParts = 10;
const deepest = 3;
const longestNumber = 30;

/**
 * Prints `[1, 2, ... 998 more]`, `"a long te..."`, `{"a": {...}}`, in about `longest` characters (at most twice that
 * and a little).
 */
export const brief = (value: Value, longest = 80): string => cut(print(value, longest, 0), longest);

function print(value: Value, longest: number, depth: number): string {
  if (typeof value === "string")
    return value.length <= longest ? printValue(value) : `${printValue(head(value, longest)).slice(0, -1)}..."`;
  // The full digits of a very large or very small number are of no use.
  if (typeof value === "number" && printValue(value).length > longestNumber) return String(value);
  if (value instanceof Uint8Array)
    return value.length <= longest ? printValue(value) : `${printValue(value.subarray(0, longest)).slice(0, -1)}..."`;
  if (isList(value)) {
    if (value.length === 0) return "[]";
    if (depth === deepest) return "[...]";
    return `[${joined(value.slice(0, maxParts), (element) => print(element, longest, depth + 1), value.length, longest)}]`;
  }
  if (isMap(value)) {
    const size = mapSize(value);
    if (size === 0) return "{}";
    if (depth === deepest) return "{...}";
    const entry = ([key, element]: readonly [Value, Value]): string =>
      `${print(key, longest, depth + 1)}: ${print(element, longest, depth + 1)}`;
    return `{${joined(firstEntries(value), entry, size, longest)}}`;
  }
  if (value instanceof Optional && value.value !== undefined) return `optional.of(${print(value.value, longest, depth + 1)})`;
  if (value instanceof Hierarchy) return `hierarchy(${print(value.levels, longest, depth + 1)})`;
  return printValue(value);
}

/** Prints parts until the length is reached, then the number of the rest. */
function joined<Part>(parts: readonly Part[], write: (part: Part) => string, count: number, longest: number): string {
  const written: string[] = [];
  let length = 0;
  for (const part of parts) {
    if (length > longest) break;
    const text = write(part);
    written.push(text);
    length += text.length;
  }
  return written.length === count ? written.join(", ") : [...written, `... ${count - written.length} more`].join(", ");
}

function firstEntries(map: CelMap | { readonly [name: string]: Value }): readonly (readonly [Value, Value])[] {
  if (!(map instanceof CelMap)) {
    return Object.keys(map)
      .slice(0, maxParts)
      .map((key) => [key, map[key] ?? null]);
  }
  const first: (readonly [Value, Value])[] = [];
  for (const entry of map.entries.values()) {
    if (first.length === maxParts) break;
    first.push(entry);
  }
  return first;
}

const cut = (text: string, longest: number): string => (text.length <= 2 * longest + 40 ? text : `${head(text, 2 * longest)}...`);

/** The beginning of a string; a surrogate pair cut in half becomes U+FFFD. */
const head = (text: string, length: number): string => wellFormed(text.slice(0, length));
