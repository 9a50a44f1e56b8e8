/** Turns values into JSON, as outputs carry them and `json.encode` writes them (semantics 4.7; numbers that JSON cannot say: D40). */
import { encodeBase64 } from "./base64.ts";
import { formatDuration } from "./duration.ts";
import { EvalError, evalError } from "./error.ts";
import { isList, isMap, typeName, typeOfValue } from "./kind.ts";
import { mapEntries } from "./map.ts";
import { formatTimestamp } from "./timestamp-text.ts";
import { Duration, Timestamp, Uint, type Value } from "./value.ts";

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

const largest = BigInt(Number.MAX_SAFE_INTEGER);

/** Converts a value; a type, a record or an opaque value has no JSON form. */
export function toJson(value: Value): Json | EvalError {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value === "bigint") return integerToJson(value);
  if (value instanceof Uint) return integerToJson(value.value);
  if (value instanceof Uint8Array) return encodeBase64(value);
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Duration) return formatDuration(value);
  if (isList(value)) return listToJson(value);
  if (isMap(value)) return mapToJson(mapEntries(value));
  return evalError("invalid argument", `a value of type ${typeName(typeOfValue(value))} has no JSON form`);
}

// A double cannot hold every larger integer.
const integerToJson = (value: bigint): Json => (value <= largest && value >= -largest ? Number(value) : String(value));

function listToJson(list: readonly Value[]): readonly Json[] | EvalError {
  const elements: Json[] = [];
  for (const element of list) {
    const json = toJson(element);
    if (json instanceof EvalError) return json;
    elements.push(json);
  }
  return elements;
}

function mapToJson(entries: Iterable<readonly [Value, Value]>): Json | EvalError {
  const members: (readonly [string, Json])[] = [];
  for (const [key, element] of entries) {
    if (typeof key !== "string")
      return evalError("invalid argument", `a map with keys of type ${typeName(typeOfValue(key))} has no JSON form`);
    const json = toJson(element);
    if (json instanceof EvalError) return json;
    members.push([key, json]);
  }
  return Object.fromEntries(members);
}
