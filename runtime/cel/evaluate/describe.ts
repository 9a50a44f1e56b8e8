/** Turns an error into a helpful sentence: its message, the operands' types, a likely correction, the loop iteration. */
import type { EvalError, Place } from "../error.ts";
import { isList, isMap, type MapValue } from "../kind.ts";
import { mapKeys } from "../map.ts";
import { nearest } from "../../nearest.ts";
import { Optional } from "../optional.ts";
import { CelMap, Message, Uint, type Value } from "../value.ts";
import { work } from "../work.ts";
import { brief } from "./brief.ts";
import { kindName, operationWithTypes } from "./operation-types.ts";

/**
 * Describes an error for people; the result starts with the error's message. Of the values it reveals only key names,
 * types and sizes; a value itself only if converting it failed, because requests may hold secrets.
 */
export function describe(error: EvalError): string {
  const { message, place } = error;
  if (place === undefined) return message;
  const more = help(error, place);
  const iteration = iterationsOf(place);
  const sentence = message === "no such overload" ? withKinds(message, place) : message;
  return `${sentence}${more === undefined ? "" : `; ${more}`}${iteration === undefined ? "" : `; ${iteration}`}`;
}

function withKinds(message: string, place: Place): string {
  const operation = operationWithTypes(place);
  return operation === undefined ? message : `${message}: ${operation}`;
}

function help({ kind, message }: EvalError, place: Place): string | undefined {
  const [first = null, second = null] = place.operands;
  switch (kind) {
    case "no such key":
      return keysOf(first, keyAsked(place), place.tree.kind === "select");
    case "undefined field":
      return first instanceof Message ? unset.get(first.typeName) : undefined;
    case "no such overload":
      return notTaken(message, place, first, second);
    case "index out of bounds":
      return isList(first) ? `the list has ${first.length} element${first.length === 1 ? "" : "s"}` : undefined;
    case "integer overflow":
      return overflow(place, first);
    case "invalid argument":
    case "out of range":
      return unreadable(message, place, first, second);
    case "no such attribute":
    case "division by zero":
    case "modulus by zero":
    case "too many steps":
      return undefined;
  }
}

/** What the operand is, if the message says only what it is not; for mixed number types, the likely reason. */
function notTaken(message: string, { asker }: Place, left: Value, right: Value): string | undefined {
  if (asker !== undefined) return message === "no such overload" ? undefined : `this one is ${kindName(left)}`;
  return isMixed(left, right) ? "a number of a request is a double" : undefined;
}

/** The key that a selection or an index looked up. */
const keyAsked = ({ tree, operands }: Place): Value => (tree.kind === "select" ? tree.field : (operands[1] ?? null));

/** Shorter names resemble too many others to suggest one. */
const shortestName = 3;
/** Bounds on the keys compared for a suggestion: requests may hold very many, and very long ones. */
const maxKeys = 100;
const longestKey = 64;

/**
 * Suggests a key of the map that resembles the missing one; the search is charged to the work budget. The suggestion
 * is cached only if the key is written in the condition: a computed key may be a slice of a long string, which the
 * cache would keep in memory.
 */
function keysOf(value: Value, key: Value, isWritten: boolean): string | undefined {
  if (value instanceof Optional) return value.value === undefined ? undefined : keysOf(value.value, key, isWritten);
  if (!isMap(value)) return `${kindName(value)} has no fields`;
  if (typeof key !== "string") return value instanceof CelMap ? undefined : `its keys are strings, this one is ${kindName(key)}`;
  if (key.length < shortestName) return undefined;
  const names = namesOf(value);
  work(names.length * Math.min(key.length, longestKey) * 8);
  const near = isWritten && !(value instanceof CelMap) ? nearestOf(key, names) : nearest(key, names);
  return near === undefined ? undefined : `did you mean \`${near}\`?`;
}

/** Cached suggestions: missing key -> the map's keys and the most similar one. Bounded in entries and keys. */
const recent = new Map<string, { readonly names: readonly string[]; readonly near: string | undefined }>();
const maxRecent = 128;
const maxNames = 16;

/** Many requests lack the same key in maps with the same keys. */
function nearestOf(key: string, names: readonly string[]): string | undefined {
  const known = recent.get(key);
  if (known !== undefined && areEqual(known.names, names)) return known.near;
  const near = nearest(key, names);
  if (key.length > longestKey || names.length > maxNames) return near;
  if (recent.size >= maxRecent) recent.clear();
  recent.set(key, { names, near });
  return near;
}

const areEqual = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && left.every((name, at) => name === right[at]);

const namesOf = (map: MapValue): readonly string[] =>
  mapKeys(map)
    .slice(0, maxKeys)
    .filter((name): name is string => typeof name === "string" && name.length <= longestKey);

const unset: ReadonlyMap<string, string> = new Map([
  ["variables", "the variable's own expression failed"],
  ["globals", "no such global is configured"],
]);

const isMixed = (left: Value, right: Value): boolean =>
  (typeof left === "number" && isInteger(right)) || (isInteger(left) && typeof right === "number");

const isInteger = (value: Value): boolean => typeof value === "bigint" || value instanceof Uint;

const ranges = { int: "-9223372036854775808 to 9223372036854775807", uint: "0 to 18446744073709551615" } as const;

function overflow({ tree, operands }: Place, first: Value): string | undefined {
  const name = tree.kind === "call" ? tree.function : "";
  // Only a conversion has a single value to report; other overflows have two operands.
  if (name === "int" || name === "uint") return `${brief(first)} is outside of ${name}, ${ranges[name]}`;
  if (operands.some((value) => typeof value === "bigint")) return `an int is ${ranges.int}`;
  return operands.some((value) => value instanceof Uint) ? `a uint is ${ranges.uint}` : undefined;
}

/** Most characters quoted of a value. */
const longestQuote = 40;

function unreadable(message: string, { tree }: Place, first: Value, second: Value): string | undefined {
  const name = tree.kind === "call" ? tree.function : "";
  const form = forms.get(name);
  if (form !== undefined && typeof first === "string") return `${brief(first, longestQuote)} is not ${form}`;
  const pattern = name === "matches" || name.startsWith("regex.") ? second : null;
  return typeof pattern === "string" && !message.includes(pattern) ? `the pattern is ${brief(pattern)}` : undefined;
}

/** What a string must be for each conversion. */
const forms: ReadonlyMap<string, string> = new Map([
  ["int", `a whole number from ${ranges.int}`],
  ["uint", `a whole number from ${ranges.uint}`],
  ["double", "a number"],
  ["bool", "true or false"],
  ["timestamp", "a time like 2024-01-31T12:00:00Z in the years 1 to 9999"],
  ["duration", "a span like 1h30m within 290 years"],
]);

/** Most nested loops whose iteration is reported. */
const maxIterations = 4;

/** The iterations of the loops around the failure, outermost first. */
function iterationsOf({ iterations }: Place): string | undefined {
  if (iterations.length === 0) return undefined;
  const named = iterations
    .slice(0, maxIterations)
    .map((key) => (typeof key === "bigint" ? `index ${key}` : `key ${brief(key, longestQuote)}`));
  return `at ${named.join(", ")}${iterations.length > maxIterations ? ", ..." : ""}`;
}
