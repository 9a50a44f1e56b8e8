/** Measures values: what a session keeps must stay small enough to be traversed, printed and compared. */
import { isList, isMap } from "../../runtime/cel/kind.ts";
import { mapEntries } from "../../runtime/cel/map.ts";
import { Optional } from "../../runtime/cel/optional.ts";
import type { Value } from "../../runtime/cel/value.ts";

/** The measures of a value; a shared part counts each time it occurs. */
export interface ValueMeasures {
  readonly parts: number;
  readonly depth: number;
  readonly longestString: number;
}

/** The most parts of a kept value. */
const maxParts = 4_000_000;
/** The deepest nesting of a kept value, because traversals are recursive. */
const maxDepth = 500;

const scalar: ValueMeasures = { parts: 1, depth: 1, longestString: 0 };

// A cache: values never change. Repeated `[x, x]` counts exponentially many parts, but has few distinct ones.
const cache = new WeakMap<object, ValueMeasures>();

/** Measures a value. */
export function measure(value: Value): ValueMeasures {
  if (typeof value === "string" || value instanceof Uint8Array) return { ...scalar, longestString: value.length };
  if (typeof value !== "object" || value === null) return scalar;
  const before = cache.get(value);
  if (before !== undefined) return before;
  const found = sum(partsOf(value));
  cache.set(value, found);
  return found;
}

function* partsOf(value: Value): Iterable<Value> {
  if (isList(value)) yield* value;
  else if (isMap(value)) for (const [key, element] of mapEntries(value)) yield* [key, element];
  else if (value instanceof Optional && value.value !== undefined) yield value.value;
}

function sum(values: Iterable<Value>): ValueMeasures {
  let [parts, depth, longestString] = [1, 0, 0];
  for (const value of values) {
    const of = measure(value);
    parts += of.parts;
    depth = Math.max(depth, of.depth);
    longestString = Math.max(longestString, of.longestString);
  }
  return { parts, depth: depth + 1, longestString };
}

/** Returns why a value is too large to be kept; undefined when it is not. */
export function tooLargeToKeep(value: Value): string | undefined {
  const { parts, depth } = measure(value);
  if (parts > maxParts) return `the value has ${parts} parts, and at most ${maxParts} can be kept`;
  return depth > maxDepth ? `the value nests ${depth} levels deep, and at most ${maxDepth} can be kept` : undefined;
}
