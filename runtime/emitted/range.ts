/** What loops walk over, and how their turns are counted. */
import { isList, isMap } from "../cel/kind.ts";
import { mapEntries, mapKeys } from "../cel/map.ts";
import type { Value } from "../cel/value.ts";
import { work } from "../cel/work.ts";
import type { Result } from "./access.ts";

/** Counts the turns of loops, and ends the evaluation that makes too many (D46). */
export interface Steps {
  readonly step: () => void;
}

/** Position and element of a list, or key and value of a map. */
export type Entry = readonly [Value, Value];

/** What a loop with one variable walks over: elements, or keys. */
export function items(range: Result): readonly Value[] | undefined {
  if (range === undefined) return undefined;
  if (isList(range)) return range;
  return isMap(range) ? mapKeys(range) : undefined;
}

/** Work for a pair that is made before the first turn, and kept to the last. */
const entryKept = 64;

/** What a loop with two variables walks over. */
export function entries(range: Result): Iterable<Entry> | undefined {
  if (range === undefined) return undefined;
  if (isList(range)) work(entryKept * range.length);
  if (isList(range)) return range.map((value, at): Entry => [BigInt(at), value]);
  return isMap(range) ? mapEntries(range) : undefined;
}
