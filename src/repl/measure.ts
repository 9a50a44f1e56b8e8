/** Measures values: what a session keeps must stay small enough to be traversed, printed and compared. */
import { isList, isMap } from "../../runtime/cel/kind.ts";
import { mapEntries } from "../../runtime/cel/map.ts";
import { Optional } from "../../runtime/cel/optional.ts";
import type { Value } from "../../runtime/cel/value.ts";

/** The measures of a value; a shared part counts each time it occurs. */
export interface Measures {
  readonly parts: number;
  readonly depth: number;
  readonly longestText: number;
}

/** The most parts of a kept value. */
const mostParts = 4_000_000;
/** The deepest nesting of a kept value, because traversals are recursive. */
const deepestValue = 500;

const scalar: Measures = { parts: 1, depth: 1, longestText: 0 };

// A cache: values never change. Repeated `[x, x]` counts exponentially many parts, but has few distinct ones.
const known = new WeakMap<object, Measures>();

/** Measures a value. */
export function measure(value: Value): Measures {
  if (typeof value === "string" || value instanceof Uint8Array) return { ...scalar, longestText: value.length };
  if (typeof value !== "object" || value === null) return scalar;
  const before = known.get(value);
  if (before !== undefined) return before;
  const found = sum(partsOf(value));
  known.set(value, found);
  return found;
}

function* partsOf(value: Value): Iterable<Value> {
  if (isList(value)) yield* value;
  else if (isMap(value)) for (const [key, element] of mapEntries(value)) yield* [key, element];
  else if (value instanceof Optional && value.value !== undefined) yield value.value;
}

function sum(values: Iterable<Value>): Measures {
  let [parts, depth, longestText] = [1, 0, 0];
  for (const value of values) {
    const of = measure(value);
    parts += of.parts;
    depth = Math.max(depth, of.depth);
    longestText = Math.max(longestText, of.longestText);
  }
  return { parts, depth: depth + 1, longestText };
}

/** Returns why a value is too large to be kept; undefined when it is not. */
export function tooLargeToKeep(value: Value): string | undefined {
  const { parts, depth } = measure(value);
  if (parts > mostParts) return `the value has ${parts} parts, and at most ${mostParts} can be kept`;
  return depth > deepestValue ? `the value nests ${depth} levels deep, and at most ${deepestValue} can be kept` : undefined;
}
