/** Reads a part of a value: `a.b`, `has(a.b)`, `a[b]`, `a.?b`, `a[?b]` and `a in b`. */
import { EvalError, evalError } from "./error.ts";
import { isJsonObject, isList, isMap, kindOf, typeName, typeOfValue } from "./kind.ts";
import { equal } from "./equal.ts";
import { lookup } from "./map.ts";
import { none, Optional, optionalOf } from "./optional.ts";
import { brief } from "./evaluate/brief.ts";
import { printValue } from "./print-value.ts";
import { shortText } from "./text.ts";
import { Message, Uint, type Value } from "./value.ts";
import { work } from "./work.ts";

/** `operand.field`. On a scalar the error is `no such key`; on a list it is an unsupported index. */
export function select(operand: Value, field: string): Value | EvalError {
  if (isJsonObject(operand)) return orElse(Object.hasOwn(operand, field) ? operand[field] : undefined, noSuchKey, field);
  if (operand instanceof Optional) return within(operand, field);
  if (operand instanceof Message) return orElse(operand.get(field), undefinedField, field);
  if (isMap(operand)) return orElse(lookup(operand, field), noSuchKey, field);
  if (isList(operand)) return unsupportedIndex(field);
  return noSuchKey(field);
}

/** `has(operand.field)`. False for a scalar; an error for a list, and for a field that a message type does not declare. */
export function hasField(operand: Value, field: string): boolean | EvalError {
  if (operand instanceof Optional) return operand.value === undefined ? false : hasField(operand.value, field);
  if (operand instanceof Message) return operand.has(field) ?? undefinedField(field);
  if (isMap(operand)) return lookup(operand, field) !== undefined;
  if (isList(operand)) return unsupportedIndex(field);
  return false;
}

/** `operand[key]`. A list accepts an int, a uint, or a double without a fraction. */
export function index(operand: Value, key: Value): Value | EvalError {
  if (operand instanceof Optional) return within(operand, key);
  if (isList(operand)) return element(operand, key);
  if (isMap(operand)) return orElse(lookup(operand, key), noSuchKey, key);
  if (operand instanceof Message) return typeof key === "string" ? select(operand, key) : evalError("no such overload");
  return noSuchKey(key);
}

/**
 * `operand.?key` and `operand[?key]`. Returns `optional.none()` where `a.b` or `a[b]` would be an error, except for a
 * list index of the wrong type.
 */
export function find(operand: Value, key: Value): Optional | EvalError {
  if (operand instanceof Optional) return operand.value === undefined ? none : find(operand.value, key);
  if (operand instanceof Message) {
    return typeof key === "string" && operand.has(key) === true ? optionalOf(operand.get(key)) : none;
  }
  if (isMap(operand)) return optionalOf(lookup(operand, key));
  if (!isList(operand)) return none;
  const position = toPosition(key);
  return position === undefined ? unsupportedIndex(key) : optionalOf(operand[position]);
}

/** Access to a part of an optional yields an optional again. A scalar inside it has no parts: `no such key`. */
function within({ value }: Optional, key: Value): Optional | EvalError {
  if (value === undefined) return none;
  return isList(value) || isMap(value) || value instanceof Message || value instanceof Optional ? find(value, key) : noSuchKey(key);
}

function element(list: readonly Value[], key: Value): Value | EvalError {
  const position = toPosition(key);
  if (position === undefined) return unsupportedIndex(key);
  const found = position >= 0 ? list[position] : undefined;
  return found === undefined ? evalError("index out of bounds", String(position)) : found;
}

/** Converts a key to a list position; undefined if it is not a whole number. */
export function toPosition(key: Value): number | undefined {
  if (typeof key === "bigint") return Number(key);
  if (key instanceof Uint) return Number(key.value);
  return typeof key === "number" && Number.isInteger(key) ? key : undefined;
}

/** `element in container`: an element of a list, or a key of a map. Other containers: `no such overload`. */
export function isIn(value: Value, container: Value): boolean | EvalError {
  if (isList(container)) return isAmong(value, container);
  if (isMap(container)) return lookup(container, value) !== undefined;
  return evalError("no such overload");
}

/** Whether a list has an element equal to a value. */
export function isAmong(value: Value, list: readonly Value[]): boolean {
  const at = placeOf(value, list);
  const looked = at < 0 ? list.length : at + 1;
  // Comparing a long string may take as long as the string, for each element of the same length.
  work(1 + (typeof value === "string" && value.length > shortText ? looked * (1 + value.length / 32) : looked / 2));
  return at >= 0;
}

/**
 * The index of the first equal element, or -1. Strings, booleans and null are equal only to themselves, so the native
 * indexOf is right for them.
 */
function placeOf(value: Value, list: readonly Value[]): number {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return list.indexOf(value);
  for (let at = 0; at < list.length; at += 1) if (equal(value, list[at] ?? null)) return at;
  return -1;
}

// Not `??`: null is a value.
const orElse = <Key>(found: Value | undefined, failure: (key: Key) => EvalError, key: Key): Value | EvalError =>
  found === undefined ? failure(key) : found;

/** The error for a field that a message does not declare or has not set: `undefined field 'x'`. */
const undefinedField = (field: string): EvalError => new EvalError("undefined field", `undefined field '${field}'`);

/** The error for a key that a map lacks: `no such key: x`. */
const noSuchKey = (key: Value): EvalError => evalError("no such key", typeof key === "string" ? key : brief(key));

const unsupportedIndex = (key: Value): EvalError =>
  evalError(
    "invalid argument",
    kindOf(key) === "double"
      ? `unsupported index value ${printValue(key)} in list`
      : `unsupported index type '${typeName(typeOfValue(key))}' in list`,
  );
