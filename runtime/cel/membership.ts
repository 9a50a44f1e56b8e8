/** Tests list membership many times without a linear search each time. */
import { equal } from "./equal.ts";
import { isNumber } from "./compare.ts";
import { isAmong } from "./access.ts";
import { isList, isMap, kindOf } from "./kind.ts";
import { mapEntries } from "./map.ts";
import { longestSpread, workToFind } from "./text.ts";
import { Duration, Timestamp, Uint, type Value } from "./value.ts";
import { work, workOver } from "./work.ts";

const worthIndexing = 8;

/** The hash key of a value: equal values share it. Numbers become strings, because V8's hash of numbers is predictable. */
type Bucket = string | boolean | null;

/**
 * Returns a membership test by CEL equality. `times` is the expected number of calls; for few calls or a short list
 * it searches linearly.
 */
export function membership(list: readonly Value[], times: number): (value: Value) => boolean {
  if (list.length < worthIndexing || list.length * times < worthIndexing * worthIndexing) return (value) => isAmong(value, list);
  // A string equals only the same string.
  if (list.every((element) => typeof element === "string")) {
    const strings = new Set<Value>();
    for (const element of list) {
      workToLookUp(element, strings.size);
      strings.add(element);
    }
    return (value) => {
      workToLookUp(value, strings.size);
      return strings.has(value);
    };
  }
  const buckets = new Map<Bucket, Value[]>();
  for (const element of list) {
    const key = bucketOf(element, buckets.size);
    const bucket = buckets.get(key);
    if (bucket === undefined) buckets.set(key, [element]);
    else if (!isSimple(element) || !bucket.some((other) => equal(other, element))) bucket.push(element);
  }
  return (value) => buckets.get(bucketOf(value, buckets.size))?.some((element) => equal(element, value)) ?? false;
}

/** Returns the elements without later duplicates. */
export function distinct(list: readonly Value[]): readonly Value[] {
  const buckets = new Map<Bucket, Value[]>();
  return list.filter((element) => {
    const key = bucketOf(element, buckets.size);
    const bucket = buckets.get(key);
    if (bucket?.some((other) => equal(other, element))) return false;
    if (bucket === undefined) buckets.set(key, [element]);
    else bucket.push(element);
    return true;
  });
}

const isSimple = (value: Value): boolean => typeof value !== "object" || value === null;

function workToLookUp(value: Value, others: number): void {
  workOver(value);
  if (typeof value === "string" && value.length > longestSpread) workToFind(value, others);
}

/** Returns the bucket of a value, and counts the work of looking it up among `others`. */
function bucketOf(value: Value, others: number): Bucket {
  const bucket = bucketAlone(value);
  if (typeof bucket === "string" && bucket.length > longestSpread) workToFind(bucket, others);
  return bucket;
}

/**
 * Equal values have the same bucket; unequal ones rarely do. Numbers of different types are compared as doubles, so a
 * number's bucket is its double.
 */
function bucketAlone(value: Value): Bucket {
  work(8);
  workOver(value);
  if (isNumber(value)) return `n${typeof value === "number" ? value : Number(value instanceof Uint ? value.value : value)}`;
  if (typeof value === "boolean" || value === null) return value;
  if (typeof value === "string") return `s${value}`;
  if (value instanceof Timestamp) return `t${value.seconds}.${value.nanos}`;
  if (value instanceof Duration) return `d${value.seconds}.${value.nanos}`;
  if (value instanceof Uint8Array) return `b${value.join()}`;
  if (isList(value)) return `[${value.map((element) => String(bucketAlone(element))).join()}]`;
  if (!isMap(value)) return kindOf(value);
  return `{${Array.from(mapEntries(value), ([key, element]) => `${String(bucketAlone(key))}=${String(bucketAlone(element))}`)
    .sort()
    .join()}}`;
}
