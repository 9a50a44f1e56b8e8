/** The macros that build a list or a map, for generated code: an error in any iteration makes the result an error. */
import { isList, isMap } from "../cel/kind.ts";
import { canonicalKey, makeMap, mapEntries, workToKeepKey } from "../cel/map.ts";
import { sortByKeys } from "../cel/sort.ts";
import { CelMap, type MapKey, type Value } from "../cel/value.ts";
import { type Result, settle } from "./access.ts";
import { type Entry, type Steps, entries, items } from "./range.ts";

type OfItem = (item: Value) => Result;
type OfEntry = (key: Value, item: Value) => Result;

/** Collects the results of `make` for the iterations where `test` is true. */
function collect<T>(
  steps: Steps,
  walked: Iterable<T> | undefined,
  make: (iteration: T) => Result,
  test: ((iteration: T) => Result) | undefined,
): readonly Value[] | undefined {
  if (walked === undefined) return undefined;
  const made: Value[] = [];
  for (const iteration of walked) {
    steps.step();
    const holds = test === undefined || test(iteration);
    if (holds === false) continue;
    if (holds !== true) return undefined;
    const value = make(iteration);
    if (value === undefined) return undefined;
    made.push(value);
  }
  return made;
}

const ofEntry =
  (of: OfEntry): ((entry: Entry) => Result) =>
  ([key, item]) =>
    of(key, item);
const ofEntryIfAny = (of: OfEntry | undefined): ((entry: Entry) => Result) | undefined => (of === undefined ? undefined : ofEntry(of));

/** `range.map(v, make)` and `range.map(v, test, make)`. */
export const map = (steps: Steps, range: Result, make: OfItem, test?: OfItem): readonly Value[] | undefined =>
  collect(steps, items(range), make, test);

/** `range.filter(v, test)`. */
export const filter = (steps: Steps, range: Result, test: OfItem): readonly Value[] | undefined =>
  collect(steps, items(range), (item) => item, test);

/** `range.transformList(i, v, make)` and `range.transformList(i, v, test, make)`. */
export const transformList = (steps: Steps, range: Result, make: OfEntry, test?: OfEntry): readonly Value[] | undefined =>
  collect(steps, entries(range), ofEntry(make), ofEntryIfAny(test));

/** `range.transformMap(k, v, make)` and `range.transformMap(k, v, test, make)`: the same keys with other values. */
export function transformMap(steps: Steps, range: Result, make: OfEntry, test?: OfEntry): CelMap | undefined {
  const keys: Value[] = [];
  const remember = ([key, item]: Entry): Result => {
    keys.push(key);
    return make(key, item);
  };
  const values = collect(steps, entries(range), remember, ofEntryIfAny(test));
  if (values === undefined) return undefined;
  return settle(makeMap(values.map((value, at) => [keys[at] ?? null, value] as const)));
}

/** `range.transformMapEntry(k, v, make)`: the union of the maps that `make` returns; a repeated key is an error. */
export function transformMapEntry(steps: Steps, range: Result, make: OfEntry, test?: OfEntry): CelMap | undefined {
  const made = new Map<MapKey, Entry>();
  const insert = ([key, item]: Entry): Result => {
    const body = make(key, item);
    if (body === undefined || !isMap(body)) return undefined;
    for (const entry of mapEntries(body)) {
      const canonical = canonicalKey(entry[0]);
      if (canonical === undefined || made.has(canonical)) return undefined;
      workToKeepKey(canonical, made.size);
      made.set(canonical, entry);
    }
    return null;
  };
  return collect(steps, entries(range), insert, ofEntryIfAny(test)) === undefined ? undefined : new CelMap(made);
}

/** `range.sortBy(v, key)`. */
export function sortBy(steps: Steps, range: Result, key: OfItem): Result {
  if (range === undefined || !isList(range)) return undefined;
  const keys = collect(steps, range, key, undefined);
  return keys === undefined ? undefined : settle(sortByKeys(range, keys));
}
