/** Maps, whoever made them: looking up, listing and making. No name reaches a prototype. */
import { evalError } from "./error.ts";
import type { EvalError } from "./error.ts";
import { kindOf } from "./kind.ts";
import type { MapValue } from "./kind.ts";
import type { MapKey, Value } from "./value.ts";
import { CelMap, Uint } from "./value.ts";

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
      return Number.isInteger(value) && value >= lowest && value < beyond ? BigInt(value) : finiteOrInfinite(value);
    default:
      return value instanceof Uint ? value.value : undefined;
  }
}

const finiteOrInfinite = (value: number): number | undefined => (Number.isNaN(value) ? undefined : value);

/** Returns the value under a key, or undefined. Numbers find each other where no digit is lost: 1.0 finds 1. */
export function lookup(map: MapValue, key: Value): Value | undefined {
  if (map instanceof CelMap) {
    const canonical = canonicalKey(key);
    return canonical === undefined ? undefined : map.entries.get(canonical)?.[1];
  }
  return typeof key === "string" && Object.hasOwn(map, key) ? map[key] : undefined;
}

/** Counts the entries. */
export const mapSize = (map: MapValue): number => (map instanceof CelMap ? map.entries.size : Object.keys(map).length);

/** Lists the keys as written, in order. */
export const mapKeys = (map: MapValue): readonly Value[] =>
  map instanceof CelMap ? Array.from(map.entries.values(), ([key]) => key) : Object.keys(map);

/** Lists keys and values, in order. */
export function mapEntries(map: MapValue): Iterable<readonly [Value, Value]> {
  return map instanceof CelMap ? map.entries.values() : Object.entries(map);
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
