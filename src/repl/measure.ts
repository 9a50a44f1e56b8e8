/** How large a value is: what is kept between entries must stay small enough to be walked, printed and compared. */
import { isList, isMap } from "../../runtime/cel/kind.ts";
import { mapEntries } from "../../runtime/cel/map.ts";
import { Optional } from "../../runtime/cel/optional.ts";
import type { Value } from "../../runtime/cel/value.ts";

/** A value's measures; a part that stands in several places counts in each. */
export interface Measures {
  readonly parts: number;
  readonly depth: number;
  readonly longestText: number;
}

/** Parts that one kept value may have. */
const mostParts = 4_000_000;
/** Levels that one kept value may nest: whoever walks it may recurse. */
const deepestValue = 500;

const scalar: Measures = { parts: 1, depth: 1, longestText: 0 };

// A memo, not a state: values never change. `[x, x]` made again and again has few parts to look at, however many it counts.
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

/** Says why a value is too large to be kept, or nothing. */
export function tooLargeToKeep(value: Value): string | undefined {
  const { parts, depth } = measure(value);
  if (parts > mostParts) return `the value has ${parts} parts, and at most ${mostParts} can be kept`;
  return depth > deepestValue ? `the value nests ${depth} levels deep, and at most ${deepestValue} can be kept` : undefined;
}
