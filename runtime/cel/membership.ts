/** Asking many times whether a list has an element, in time that does not grow with its length. */
import { equal } from "./equal.ts";
import { isNumber } from "./compare.ts";
import { isAmong } from "./access.ts";
import { isList, isMap, kindOf } from "./kind.ts";
import { mapEntries } from "./map.ts";
import { Duration, Timestamp, Uint, type Value } from "./value.ts";
import { work, workOver } from "./work.ts";

const worthIndexing = 8;

/** What elements that may be equal have in common. */
type Bucket = string | number | boolean | null;

/** Returns a test for membership by CEL equality, which will be asked so many times. */
export function membership(list: readonly Value[], times: number): (value: Value) => boolean {
  if (list.length < worthIndexing || list.length * times < worthIndexing * worthIndexing) return (value) => isAmong(value, list);
  // A string is equal to nothing but the same string.
  if (list.every((element) => typeof element === "string")) {
    const strings = new Set<Value>(list);
    for (const element of list) workOver(element);
    return (value) => {
      workOver(value);
      return strings.has(value);
    };
  }
  const buckets = new Map<Bucket, Value[]>();
  for (const element of list) {
    const bucket = buckets.get(bucketOf(element));
    if (bucket === undefined) buckets.set(bucketOf(element), [element]);
    else if (!isSimple(element) || !bucket.some((other) => equal(other, element))) bucket.push(element);
  }
  return (value) => buckets.get(bucketOf(value))?.some((element) => equal(element, value)) ?? false;
}

/** Returns the elements without those that are equal to one before them. */
export function distinct(list: readonly Value[]): readonly Value[] {
  const buckets = new Map<Bucket, Value[]>();
  return list.filter((element) => {
    const key = bucketOf(element);
    const bucket = buckets.get(key);
    if (bucket?.some((other) => equal(other, element))) return false;
    if (bucket === undefined) buckets.set(key, [element]);
    else bucket.push(element);
    return true;
  });
}

const isSimple = (value: Value): boolean => typeof value !== "object" || value === null;

/** Equal values have one bucket; unequal ones seldom share it. Numbers meet as doubles, so that is where they lie. */
function bucketOf(value: Value): Bucket {
  work(8);
  workOver(value);
  if (isNumber(value)) return typeof value === "number" ? value : Number(value instanceof Uint ? value.value : value);
  if (typeof value === "boolean" || value === null) return value;
  if (typeof value === "string") return `s${value}`;
  if (value instanceof Timestamp) return `t${value.seconds}.${value.nanos}`;
  if (value instanceof Duration) return `d${value.seconds}.${value.nanos}`;
  if (value instanceof Uint8Array) return `b${value.join()}`;
  if (isList(value)) return `[${value.map((element) => String(bucketOf(element))).join()}]`;
  if (!isMap(value)) return kindOf(value);
  return `{${Array.from(mapEntries(value), ([key, element]) => `${String(bucketOf(key))}=${String(bucketOf(element))}`)
    .sort()
    .join()}}`;
}
