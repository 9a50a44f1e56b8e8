/** The ranges of loops, and the counting of their steps. */
import { isList, isMap } from "../cel/kind.ts";
import { mapEntries, mapKeys } from "../cel/map.ts";
import type { Value } from "../cel/value.ts";
import { work } from "../cel/work.ts";
import type { Result } from "./access.ts";

/** Counts loop steps and ends the evaluation when there are too many (D46). */
export interface Steps {
  readonly step: () => void;
}

/** Index and element of a list, or key and value of a map. */
export type Entry = readonly [Value, Value];

/** The values of a loop with one variable: elements or keys; undefined if the range is an error or of another type. */
export function items(range: Result): readonly Value[] | undefined {
  if (range === undefined) return undefined;
  if (isList(range)) return range;
  return isMap(range) ? mapKeys(range) : undefined;
}

/** Work of each pair, which is allocated before the loop starts and kept until it ends. */
const entryKept = 64;

/** The values of a loop with two variables. */
export function entries(range: Result): Iterable<Entry> | undefined {
  if (range === undefined) return undefined;
  if (isList(range)) work(entryKept * range.length);
  if (isList(range)) return range.map((value, at): Entry => [BigInt(at), value]);
  return isMap(range) ? mapEntries(range) : undefined;
}
