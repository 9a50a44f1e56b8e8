/** Reads attributes and annotations: arbitrary JSON objects, used as parsed after a check. */
import type { JsonObject } from "../cel/value.ts";
import type { Field } from "./field.ts";
import { isJsonObject, type Json } from "./json.ts";
import { countField, reportWrongType, reportViolation, type Reading, type LazyPath } from "./reading.ts";
import { maximumDepth } from "./scan.ts";
import { minSpelling } from "./source.ts";

/**
 * Reads a map of arbitrary JSON; `depth` is its nesting level in the text. Null and an empty object count as unset. A
 * value that is no object is recorded as an error.
 */
export function readAttributes(
  reading: Reading,
  at: LazyPath,
  name: string,
  value: Json | undefined,
  depth: number,
): JsonObject | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isJsonObject(value)) {
    reportWrongType(reading, at, name, "an object", value);
    return undefined;
  }
  const before = reading.keys;
  weigh(reading, value, depth);
  return reading.keys === before ? undefined : value;
}

/** Records a violation if a key of the map is empty. */
export function requireNames(reading: Reading, at: LazyPath, field: Field, name: string, map: JsonObject | undefined, what: string): void {
  if (map !== undefined && Object.hasOwn(map, "")) {
    reportViolation(reading, at, field, name, "string.min_len", `the name of an ${what} must not be empty`, { key: "" });
  }
}

/**
 * Adds the keys of a value, at every depth, and a lower bound of its characters to `reading`, and flags numbers and
 * nesting that JSON.parse accepts and we do not. Recursion is bounded by `maximumDepth`.
 */
function weigh(reading: Reading, value: { readonly [key: string]: Json } | readonly Json[], depth: number): void {
  if (depth > maximumDepth) {
    reading.outOfRange = true;
  } else if (isList(value)) {
    reading.length += value.length === 0 ? 2 : value.length + 1;
    for (let i = 0; i < value.length; i++) weighItem(reading, value[i], depth);
  } else {
    // Two braces, and one comma fewer than fields; for an empty object this is one too few, which is safe.
    reading.length++;
    for (const key in value) {
      countField(reading, key);
      weighItem(reading, value[key], depth);
    }
  }
}

function weighItem(reading: Reading, item: Json | undefined, depth: number): void {
  if (typeof item === "object") {
    if (item === null) reading.length += 4;
    else weigh(reading, item, depth + 1);
  } else if (typeof item === "string") {
    reading.length += item.length + 2;
    if (item.length > reading.longestText) reading.longestText = item.length;
  } else if (typeof item === "number") {
    if (Number.isFinite(item)) reading.length += minSpelling(item);
    else reading.outOfRange = true;
  } else if (item !== undefined) reading.length += item ? 4 : 5;
}

const isList = (value: { readonly [key: string]: Json } | readonly Json[]): value is readonly Json[] => Array.isArray(value);
