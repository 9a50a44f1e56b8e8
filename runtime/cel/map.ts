/** Maps, whoever made them: looking up, listing and making. No name reaches a prototype. */
import { evalError, type EvalError } from "./error.ts";
import { kindOf, type MapValue } from "./kind.ts";
import { shortText } from "./text.ts";
import { CelMap, Uint, type JsonObject, type MapKey, type Value } from "./value.ts";
import { work } from "./work.ts";

// As in cel-go, no double finds the least int: its lossless conversion leaves out the bound.
const lowest = -(2 ** 63);
const beyond = 2 ** 64;

/** Returns the form in which a key is stored and looked up, or undefined when no key can be equal to it. */
export function canonicalKey(value: Value): MapKey | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "bigint":
      return value;
    case "number":
      return Number.isInteger(value) && value > lowest && value < beyond ? BigInt(value) : finiteOrInfinite(value);
    default:
      return value instanceof Uint ? value.value : undefined;
  }
}

const finiteOrInfinite = (value: number): number | undefined => (Number.isNaN(value) ? undefined : value);

/** Returns the value under a key, or undefined. Numbers find each other where no digit is lost: 1.0 finds 1. */
export function lookup(map: MapValue, key: Value): Value | undefined {
  if (typeof key === "string" && key.length > shortText) work(key.length / 32);
  if (map instanceof CelMap) {
    const canonical = canonicalKey(key);
    return canonical === undefined ? undefined : map.entries.get(canonical)?.[1];
  }
  return typeof key === "string" && Object.hasOwn(map, key) ? map[key] : undefined;
}

/** Counts the entries. */
export const mapSize = (map: MapValue): number => (map instanceof CelMap ? map.entries.size : keysOf(map).length);

/** Lists the keys as written, in order. */
export const mapKeys = (map: MapValue): readonly Value[] => (map instanceof CelMap ? keysOfMade(map) : keysOf(map));

function keysOfMade({ entries }: CelMap): readonly Value[] {
  work(1 + 4 * entries.size);
  return Array.from(entries.values(), ([key]) => key);
}

/** The names of an object. Listing them takes as long as there are some, even if none is looked at. */
function keysOf(map: JsonObject): readonly string[] {
  const keys = Object.keys(map);
  work(1 + 4 * keys.length);
  return keys;
}

/** Lists keys and values, in order. */
export function mapEntries(map: MapValue): Iterable<readonly [Value, Value]> {
  if (map instanceof CelMap) return map.entries.values();
  const entries = Object.entries(map);
  work(1 + 64 * entries.length);
  return entries;
}

/** Makes a map; a key given twice keeps its last value (D45). */
export function makeMap(entries: Iterable<readonly [Value, Value]>): CelMap | EvalError {
  const byKey = new Map<MapKey, readonly [Value, Value]>();
  for (const entry of entries) {
    const canonical = canonicalKey(entry[0]);
    if (canonical === undefined) return evalError("invalid argument", `unsupported key type '${kindOf(entry[0])}'`);
    byKey.set(canonical, entry);
  }
  return new CelMap(byKey);
}
