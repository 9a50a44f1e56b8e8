/** Reading a part of a value: `a.b`, `has(a.b)`, `a[b]`, `a.?b`, `a[?b]` and `a in b`. */
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

/** `operand.field`. Selecting from a scalar is a missing key; from a list it is an error of its own. */
export function select(operand: Value, field: string): Value | EvalError {
  if (isJsonObject(operand)) return orElse(Object.hasOwn(operand, field) ? operand[field] : undefined, noSuchKey, field);
  if (operand instanceof Optional) return within(operand, field);
  if (operand instanceof Message) return orElse(operand.get(field), undefinedField, field);
  if (isMap(operand)) return orElse(lookup(operand, field), noSuchKey, field);
  if (isList(operand)) return unsupportedIndex(field);
  return noSuchKey(field);
}

/** `has(operand.field)`: a scalar has no fields; a list cannot be asked, nor a record for what is no field of it. */
export function hasField(operand: Value, field: string): boolean | EvalError {
  if (operand instanceof Optional) return operand.value === undefined ? false : hasField(operand.value, field);
  if (operand instanceof Message) return operand.has(field) ?? undefinedField(field);
  if (isMap(operand)) return lookup(operand, field) !== undefined;
  if (isList(operand)) return unsupportedIndex(field);
  return false;
}

/** `operand[key]`. A list takes any number without a fraction. */
export function index(operand: Value, key: Value): Value | EvalError {
  if (operand instanceof Optional) return within(operand, key);
  if (isList(operand)) return element(operand, key);
  if (isMap(operand)) return orElse(lookup(operand, key), noSuchKey, key);
  if (operand instanceof Message) return typeof key === "string" ? select(operand, key) : evalError("no such overload");
  return noSuchKey(key);
}

/** `operand.?key` and `operand[?key]`: what is not there is none instead of an error. */
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

/** A part of what an optional holds is optional too; a scalar has no parts. */
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

/** Returns a list position, or undefined where the key is no whole number. */
export function toPosition(key: Value): number | undefined {
  if (typeof key === "bigint") return Number(key);
  if (key instanceof Uint) return Number(key.value);
  return typeof key === "number" && Number.isInteger(key) ? key : undefined;
}

/** `element in container`: an element of a list, or a key of a map. */
export function isIn(value: Value, container: Value): boolean | EvalError {
  if (isList(container)) return isAmong(value, container);
  if (isMap(container)) return lookup(container, value) !== undefined;
  return evalError("no such overload");
}

/** Says whether a list has an element that is equal to a value. */
export function isAmong(value: Value, list: readonly Value[]): boolean {
  const at = placeOf(value, list);
  const looked = at < 0 ? list.length : at + 1;
  // A long text may be compared to its end with each that is as long.
  work(1 + (typeof value === "string" && value.length > shortText ? looked * (1 + value.length / 32) : looked / 2));
  return at >= 0;
}

/** A string, a boolean and null are equal to themselves alone, which JavaScript's own search knows. */
function placeOf(value: Value, list: readonly Value[]): number {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return list.indexOf(value);
  for (let at = 0; at < list.length; at += 1) if (equal(value, list[at] ?? null)) return at;
  return -1;
}

// Not `??`: null is a value.
const orElse = <Key>(found: Value | undefined, failure: (key: Key) => EvalError, key: Key): Value | EvalError =>
  found === undefined ? failure(key) : found;

/** The error of a name that is no field of a record, or was not set: `undefined field 'x'`. */
const undefinedField = (field: string): EvalError => new EvalError("undefined field", `undefined field '${field}'`);

/** The error of a key that a map lacks: `no such key: x`. */
const noSuchKey = (key: Value): EvalError => evalError("no such key", typeof key === "string" ? key : brief(key));

const unsupportedIndex = (key: Value): EvalError =>
  evalError(
    "invalid argument",
    kindOf(key) === "double"
      ? `unsupported index value ${printValue(key)} in list`
      : `unsupported index type '${typeName(typeOfValue(key))}' in list`,
  );
