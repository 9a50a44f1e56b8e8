/** CEL equality. It is never an error: values of different types are unequal, numbers are compared by value. */
import { compare, compareNumbers, isNumber } from "./compare.ts";
import { isJsonObject, isList, isMap, type MapValue } from "./kind.ts";
import { lookup, mapEntries, mapSize } from "./map.ts";
import { isSameType } from "./same-type.ts";
import { sameText } from "./text.ts";
import { Opaque, TypeValue, type JsonObject, type Value } from "./value.ts";
import { work } from "./work.ts";

/** Whether two values are equal. NaN equals nothing. */
export function equal(left: Value, right: Value): boolean {
  if (typeof left === "string") return typeof right === "string" && sameText(left, right);
  if (typeof left === "boolean" || left === null) return left === right;
  // For two doubles or two ints JavaScript's === is right: exact, and false for NaN.
  if (typeof left !== "object" && typeof left === typeof right) return left === right;
  if (isNumber(left)) return isNumber(right) && compareNumbers(left, right) === 0;
  if (isList(left)) return isList(right) && equalLists(left, right);
  if (isMap(left)) return isMap(right) && (isJsonObject(left) && isJsonObject(right) ? equalObjects(left, right) : equalMaps(left, right));
  if (left instanceof TypeValue) return right instanceof TypeValue && isSameType(left, right);
  if (left instanceof Opaque) return right instanceof Opaque && left.equals(right);
  // Timestamps, durations and bytes are equal if neither is less; a message is equal only to itself.
  return left === right || compare(left, right) === 0;
}

function equalLists(left: readonly Value[], right: readonly Value[]): boolean {
  work(1 + Math.min(left.length, right.length));
  if (left.length !== right.length) return false;
  for (let i = 0; i < left.length; i += 1) if (!equal(left[i] ?? null, right[i] ?? null)) return false;
  return true;
}

function equalObjects(left: JsonObject, right: JsonObject): boolean {
  const keys = Object.keys(left);
  const others = Object.keys(right);
  work(1 + 4 * (keys.length + others.length));
  if (keys.length !== others.length) return false;
  work(16 * keys.length);
  for (const key of keys) if (!Object.hasOwn(right, key) || !equal(left[key] ?? null, right[key] ?? null)) return false;
  return true;
}

function equalMaps(left: MapValue, right: MapValue): boolean {
  const size = mapSize(left);
  if (size !== mapSize(right)) return false;
  work(1 + 24 * size);
  for (const [key, value] of mapEntries(left)) {
    const other = lookup(right, key);
    if (other === undefined || !equal(value, other)) return false;
  }
  return true;
}
