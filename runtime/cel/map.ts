/** Lookup, iteration and construction of both kinds of maps. No lookup reaches a prototype. */
import { evalError, type EvalError } from "./error.ts";
import { kindOf, type MapValue } from "./kind.ts";
import { longestSpread, shortText, workToFind } from "./text.ts";
import { CelMap, Uint, type JsonObject, type MapKey, type Value } from "./value.ts";
import { work } from "./work.ts";

// As in cel-go, a double never matches the smallest int: its lossless conversion excludes that bound.
const lowest = -(2 ** 63);
const beyond = 2 ** 64;

/** Returns the form in which a key is stored and looked up; undefined if no key can equal the value. */
export function canonicalKey(value: Value): MapKey | undefined {
  switch (typeof value) {
    case "string":
      return value.startsWith(numeric) ? numeric + value : value;
    case "boolean":
      return value;
    case "bigint":
      return numeric + String(value);
    case "number":
      if (Number.isNaN(value)) return undefined;
      return numeric + String(Number.isInteger(value) && value > lowest && value < beyond ? BigInt(value) : value);
    default:
      return value instanceof Uint ? numeric + String(value.value) : undefined;
  }
}

/**
 * Numeric keys are stored as strings with this prefix. V8's hash of numbers is predictable, so a caller could craft
 * thousands of colliding keys.
 */
const numeric = "\u0000";

/**
 * Returns the value of a key, or undefined. Equal numbers of different types match if the conversion is lossless: 1.0
 * finds 1.
 */
export function lookup(map: MapValue, key: Value): Value | undefined {
  if (typeof key === "string" && key.length > shortText) workToFind(key, map instanceof CelMap ? map.entries.size : 0);
  if (map instanceof CelMap) {
    const canonical = canonicalKey(key);
    return canonical === undefined ? undefined : map.entries.get(canonical)?.[1];
  }
  if (typeof key !== "string") return undefined;
  const name = key.length > longestSpread ? sameAmong(keysOf(map), key) : key;
  return name !== undefined && Object.hasOwn(map, name) ? map[name] : undefined;
}

/**
 * Returns the key string that the object itself holds. Looking up a new string would intern it in V8 for later
 * comparisons.
 */
function sameAmong(names: readonly string[], key: string): string | undefined {
  workToFind(key, names.length);
  return names.find((name) => name === key);
}

/** Returns the number of entries. */
export const mapSize = (map: MapValue): number => (map instanceof CelMap ? map.entries.size : keysOf(map).length);

/** Lists the keys as written, in insertion order. */
export const mapKeys = (map: MapValue): readonly Value[] => (map instanceof CelMap ? keysOfMade(map) : keysOf(map));

function keysOfMade({ entries }: CelMap): readonly Value[] {
  work(1 + 4 * entries.size);
  return Array.from(entries.values(), ([key]) => key);
}

/** Lists the keys of an object. Counts work even if no key is used, because Object.keys takes linear time. */
function keysOf(map: JsonObject): readonly string[] {
  const keys = Object.keys(map);
  work(1 + 4 * keys.length);
  return keys;
}

/** Lists keys and values in insertion order. */
export function mapEntries(map: MapValue): Iterable<readonly [Value, Value]> {
  if (map instanceof CelMap) return map.entries.values();
  const entries = Object.entries(map);
  work(1 + 64 * entries.length);
  return entries;
}

/** Counts the work of inserting a key into a map with `others` keys. */
export function workToKeepKey(key: MapKey, others: number): void {
  if (typeof key === "string" && key.length > longestSpread) workToFind(key, others);
}

/** Builds a map. If a key is given twice, the last value wins (D45). An unsupported key type is an error. */
export function makeMap(entries: Iterable<readonly [Value, Value]>): CelMap | EvalError {
  const byKey = new Map<MapKey, readonly [Value, Value]>();
  for (const entry of entries) {
    const canonical = canonicalKey(entry[0]);
    if (canonical === undefined) return evalError("invalid argument", `unsupported key type '${kindOf(entry[0])}'`);
    workToKeepKey(canonical, byKey.size);
    byKey.set(canonical, entry);
  }
  return new CelMap(byKey);
}
