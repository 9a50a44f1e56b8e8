/** Maps, whoever made them: looking up, listing and making. No name reaches a prototype. */
import { evalError, type EvalError } from "./error.ts";
import { kindOf, type MapValue } from "./kind.ts";
import { longestSpread, shortText, workToFind } from "./text.ts";
import { CelMap, Uint, type JsonObject, type MapKey, type Value } from "./value.ts";
import { work } from "./work.ts";

// As in cel-go, no double finds the least int: its lossless conversion leaves out the bound.
const lowest = -(2 ** 63);
const beyond = 2 ** 64;

/** Returns the form in which a key is stored and looked up, or undefined when no key can be equal to it. */
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

/** What a number begins with as a key. The engine spreads numbers in a way that everybody knows, so that thousands can be made to meet. */
const numeric = "\u0000";

/** Returns the value under a key, or undefined. Numbers find each other where no digit is lost: 1.0 finds 1. */
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

/** The name as the object has it. The engine keeps every other text that is looked up as a name, to compare it with the next. */
function sameAmong(names: readonly string[], key: string): string | undefined {
  workToFind(key, names.length);
  return names.find((name) => name === key);
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

/** Draws what it takes to put a key among others. */
export function workToKeepKey(key: MapKey, others: number): void {
  if (typeof key === "string" && key.length > longestSpread) workToFind(key, others);
}

/** Makes a map; a key given twice keeps its last value (D45). */
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
