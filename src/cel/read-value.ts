/** Converts the JavaScript values that a caller gives for variables into CEL values. */
import { makeMap } from "../../runtime/cel/map.ts";
import { makeDuration } from "../../runtime/cel/duration.ts";
import { EvalError } from "../../runtime/cel/error.ts";
import { makeTimestamp, timestampFromMilliseconds } from "../../runtime/cel/timestamp.ts";
import { wellFormed } from "../../runtime/cel/text.ts";
import { printType, type Type } from "../../runtime/cel/type.ts";
import { CelMap, Duration, Message, Opaque, Timestamp, TypeValue, Uint, type Value } from "../../runtime/cel/value.ts";
import { bytesOf, isDate, isMap, isPlain } from "./realms.ts";

/** Converts the value of a variable by its type; throws a TypeError that names the path at which it does not fit. */
export function readValue(type: Type, given: unknown, name: string): Value {
  const value = read(type, given, 0);
  if (value instanceof TypeMismatch) throw new TypeError(`${name}${value.path} must be ${value.expected}, not ${nameOf(value.actual)}`);
  return value;
}

/** A value that does not fit its type. The path is built while returning, so that values which fit cost nothing. */
class TypeMismatch {
  readonly expected: string;
  readonly actual: unknown;
  readonly path: string;
  constructor(expected: string, actual: unknown, path = "") {
    this.expected = expected;
    this.actual = actual;
    this.path = path;
  }
  within(key: unknown): TypeMismatch {
    return new TypeMismatch(this.expected, this.actual, `[${typeof key === "string" ? JSON.stringify(key) : String(key)}]${this.path}`);
  }
}

/** The deepest nesting of lists and maps; deeper values or cycles are refused. */
const maxLevels = 256;

function read(type: Type, given: unknown, level: number): Value | TypeMismatch {
  const value = readAs(type, given, level);
  return value === undefined ? new TypeMismatch(printType(type), given) : value;
}

function readAs(type: Type, given: unknown, level: number): Value | TypeMismatch | undefined {
  switch (type.kind) {
    case "bool":
      return typeof given === "boolean" ? given : undefined;
    case "int":
      return integer(given, -(2n ** 63n), 2n ** 63n - 1n);
    case "uint":
      return unsigned(given instanceof Uint ? given.value : given);
    case "double":
      return typeof given === "number" ? given : undefined;
    case "string":
      return typeof given === "string" ? wellFormed(given) : undefined;
    case "bytes":
      return bytesOf(given);
    case "timestamp":
      return instant(given);
    case "duration":
      return given instanceof Duration ? span(given) : undefined;
    case "list":
      return Array.isArray(given) ? readList(type.element, given, level + 1) : undefined;
    case "map":
      return readMap(type.key, type.value, given, level + 1);
    case "type":
      return given instanceof TypeValue ? given : undefined;
    case "opaque":
      return given instanceof Opaque && given.typeName === type.name ? given : undefined;
    case "message":
      return given instanceof Message ? given : undefined;
    case "dyn":
      return readAny(given, level);
    case "null":
      return given === null ? null : undefined;
    case "error":
    case "parameter":
      return undefined;
  }
}

const dyn: Type = { kind: "dyn" };

/** Converts a value without a declared type: numbers are doubles, as in JSON, and bigints are ints. */
function readAny(given: unknown, level: number): Value | TypeMismatch | undefined {
  switch (typeof given) {
    case "boolean":
    case "number":
      return given;
    case "string":
      return wellFormed(given);
    case "bigint":
      return integer(given, -(2n ** 63n), 2n ** 63n - 1n);
    case "object":
      return readObject(given, level);
    default:
      return undefined;
  }
}

function readObject(given: object | null, level: number): Value | TypeMismatch | undefined {
  if (given === null) return given;
  if (Array.isArray(given)) return readList(dyn, given, level + 1);
  if (isDate(given) || given instanceof Timestamp) return instant(given);
  if (given instanceof Duration) return span(given);
  if (given instanceof Uint) return unsigned(given.value);
  if (given instanceof TypeValue || given instanceof Opaque || given instanceof Message) return given;
  return bytesOf(given) ?? readMap(dyn, dyn, given, level + 1);
}

function readList(type: Type, given: readonly unknown[], level: number): readonly Value[] | TypeMismatch {
  if (level > maxLevels) return new TypeMismatch(tooDeep, given);
  const values: Value[] = [];
  for (let at = 0; at < given.length; at++) {
    const value = read(type, given[at], level);
    if (value instanceof TypeMismatch) return value.within(at);
    values.push(value);
  }
  return values;
}

const tooDeep = `of at most ${maxLevels} levels`;

/** Converts a plain object, or a Map when keys are not all strings. As in JSON, a property that is undefined is absent. */
function readMap(keyType: Type, valueType: Type, given: unknown, level: number): CelMap | TypeMismatch | undefined {
  const entries = entriesOf(given);
  if (entries === undefined) return undefined;
  if (level > maxLevels) return new TypeMismatch(tooDeep, given);
  const pairs: (readonly [Value, Value])[] = [];
  for (const [givenKey, givenValue] of entries) {
    const key = read(keyType, givenKey, level);
    if (key instanceof TypeMismatch) return new TypeMismatch(`a map with keys of type ${printType(keyType)}`, given);
    const value = read(valueType, givenValue, level);
    if (value instanceof TypeMismatch) return value.within(givenKey);
    pairs.push([key, value]);
  }
  const made = makeMap(pairs);
  return made instanceof EvalError ? new TypeMismatch("a map with keys of type bool, int, uint or string", given) : made;
}

function entriesOf(given: unknown): Iterable<readonly [unknown, unknown]> | undefined {
  if (given instanceof CelMap) return given.entries.values();
  if (isMap(given)) return given;
  return isPlain(given) ? Object.entries(given).filter(([, value]) => value !== undefined) : undefined;
}

function integer(given: unknown, least: bigint, most: bigint): bigint | undefined {
  const whole = typeof given === "number" && Number.isSafeInteger(given) ? BigInt(given) : given;
  return typeof whole === "bigint" && whole >= least && whole <= most ? whole : undefined;
}

function unsigned(given: unknown): Uint | undefined {
  const whole = integer(given, 0n, 2n ** 64n - 1n);
  return whole === undefined ? undefined : new Uint(whole);
}

/** Converts a Date or a Timestamp, which the caller may have constructed; years 1 to 9999. */
function instant(given: unknown): Timestamp | undefined {
  const made = isDate(given) ? timestampFromMilliseconds(Number(given)) : given;
  if (!(made instanceof Timestamp) || !Number.isInteger(made.seconds) || !isNanos(made.nanos)) return undefined;
  const checked = makeTimestamp(made.seconds, made.nanos, made.offsetMinutes);
  return checked instanceof EvalError ? undefined : checked;
}

function span({ seconds, nanos }: Duration): Duration | undefined {
  const made = Number.isInteger(seconds) && isNanos(nanos) ? makeDuration(seconds, nanos) : undefined;
  return made instanceof EvalError ? undefined : made;
}

const isNanos = (nanos: number): boolean => Number.isInteger(nanos) && nanos >= 0 && nanos < 1_000_000_000;

/** Describes a value without quoting a string. */
function nameOf(given: unknown): string {
  if (given === null) return "null";
  if (Array.isArray(given)) return "a list";
  if (typeof given === "number" || typeof given === "bigint") return `the number ${given}`;
  if (typeof given !== "object") return typeof given;
  if (isPlain(given)) return "a map";
  if (given instanceof Date) return Number.isNaN(given.getTime()) ? "an invalid Date" : `the Date ${given.toISOString()}`;
  const made: unknown = Reflect.get(Reflect.getPrototypeOf(given) ?? {}, "constructor");
  return typeof made === "function" ? made.name : "an object";
}
