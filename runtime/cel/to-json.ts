/** Converts values to JSON, for outputs and `json.encode` (semantics 4.7; numbers that JSON cannot represent: D40). */
import { encodeBase64 } from "./base64.ts";
import { formatDuration } from "./duration.ts";
import { EvalError, evalError } from "./error.ts";
import { isList, isMap, typeName, typeOfValue } from "./kind.ts";
import { mapEntries } from "./map.ts";
import { formatTimestamp } from "./timestamp-text.ts";
import { Duration, Message, Timestamp, Uint, type Value } from "./value.ts";
import { work } from "./work.ts";

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

const largest = BigInt(Number.MAX_SAFE_INTEGER);

/** The deepest nesting allowed, because the conversion is recursive. */
const deepest = 2_000;

/**
 * Converts a value to JSON. An error for type values, opaque values, maps with keys other than strings, and too deep
 * nesting.
 */
export const toJson = (value: Value): Json | EvalError => convert(value, 0);

function convert(value: Value, depth: number): Json | EvalError {
  // Counted for each element: a small value may contain the same list many times over.
  work(4);
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "string") {
    work(value.length / 8);
    return value;
  }
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value === "bigint") return integerToJson(value);
  if (value instanceof Uint) return integerToJson(value.value);
  if (value instanceof Uint8Array) return encodeBase64(value);
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Duration) return formatDuration(value);
  if (depth === deepest) return evalError("invalid argument", `a value nested deeper than ${deepest} levels has no JSON form`);
  if (isList(value)) return listToJson(value, depth + 1);
  if (isMap(value)) return mapToJson(mapEntries(value), depth + 1);
  if (value instanceof Message) return mapToJson(fieldsOf(value), depth + 1);
  return evalError("invalid argument", `a value of type ${typeName(typeOfValue(value))} has no JSON form`);
}

// Larger integers become strings, because a double cannot represent all of them.
const integerToJson = (value: bigint): Json => (value <= largest && value >= -largest ? Number(value) : String(value));

function listToJson(list: readonly Value[], depth: number): readonly Json[] | EvalError {
  const elements: Json[] = [];
  for (const element of list) {
    const json = convert(element, depth);
    if (json instanceof EvalError) return json;
    elements.push(json);
  }
  return elements;
}

function mapToJson(entries: Iterable<readonly [Value, Value]>, depth: number): Json | EvalError {
  const members: (readonly [string, Json])[] = [];
  for (const [key, element] of entries) {
    if (typeof key !== "string")
      return evalError("invalid argument", `a map with keys of type ${typeName(typeOfValue(key))} has no JSON form`);
    const json = convert(element, depth);
    if (json instanceof EvalError) return json;
    members.push([key, json]);
  }
  return Object.fromEntries(members);
}

/** The fields of a message that are set. As in protobuf, a field with its zero value is not. */
const fieldsOf = (record: Message): readonly (readonly [string, Value])[] =>
  record.fields().flatMap((name) => {
    const value = record.has(name) === true ? record.get(name) : undefined;
    return value === undefined ? [] : [[name, value] as const];
  });
