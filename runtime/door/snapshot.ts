/**
 * Copies attributes, claims and globals to JSON values of our own, as `JSON.stringify` would see them, so that they
 * cannot change while policies read them.
 */
import { isJsonObject } from "../cel/kind.ts";
import type { JsonObject, Value } from "../cel/value.ts";
import { isHidden } from "./hidden.ts";
import { type ProblemList, addProblem, describeType } from "./problems.ts";
import { isWellFormed } from "./well-formed.ts";

/** The deepest nesting, the same as for requests to a server. */
const deepest = 1_000;

/** The state while values are copied. */
export interface CopyState extends ProblemList {
  /** Length in UTF-16 units of the longest string. */
  longestText: number;
  /** Whether whole numbers become ints. */
  readonly integers: boolean;
}

/** Returns the initial state. */
export function openCopyState(integers: boolean): CopyState {
  // A program may freeze it at any time, and what is frozen stays so.
  if (settable) settable = !Object.isFrozen(Object.prototype);
  return { problems: undefined, longestText: 0, integers };
}

/** Copies an object; undefined if it is null, undefined or empty. Anything else is reported. */
export function copyObject(value: unknown, at: string, state: CopyState): JsonObject | undefined {
  if (value === undefined || value === null) return undefined;
  // Fast path for plain objects; others are examined further.
  const copied = isPlain(value) ? copyFields(value, at, state, 1) : copy(value, at, undefined, state, 0);
  // Either it was refused and reported, or its `toJSON` returned null.
  if (copied === nothing || copied === null) return undefined;
  if (!isJsonObject(copied)) {
    addProblem(state, at, `must be an object: ${describeType(value)}`);
    return undefined;
  }
  if (Object.hasOwn(copied, "")) addProblem(state, at, "has an attribute without a name");
  return copied;
}

const isPlain = (value: object): boolean => Object.getPrototypeOf(value) === Object.prototype && !("toJSON" in value);

/** The shared result for an object without fields, which are frequent. */
const nothing: JsonObject = Object.freeze({});

/** Checks a string and returns it. */
export function checkText(text: string, at: string, name: Name, state: CopyState): string {
  if (text.length > state.longestText) state.longestText = text.length;
  if (!isWellFormed(text)) noteHalf(at, name, state);
  return text;
}

const noteHalf = (at: string, name: Name, state: CopyState): void => addProblem(state, placeOf(at, name), "holds half a surrogate pair");

interface Fields {
  [name: string]: Value;
}

/** The name of a field or the index of an item; undefined if the path is complete already. */
export type Name = string | number | undefined;

/** Builds a path; called only for reports and for nested values. */
export const placeOf = (at: string, name: Name): string =>
  name === undefined ? at : typeof name === "number" ? `${at}[${name}]` : `${at}.${name}`;

/** Copies the fields of an object. */
function copyFields(value: object, at: string, state: CopyState, depth: number): JsonObject {
  const given = value as { readonly [name: string]: unknown }; // only its own names are read
  const names = Object.keys(given);
  const fields: Fields = {};
  let next = 0;
  let some = false;
  // In `for...in`, V8 knows the offset of each value; otherwise it looks up names. But `for...in` also visits
  // inherited names, and skips names removed meanwhile, so leave it where it deviates from the own names.
  if (names.length <= few)
    for (const name in given) {
      if (name !== names[next]) break;
      next++;
      const field = given[name];
      if (field === undefined) continue;
      some = true;
      // Inlined for strings, the most frequent values, because a call would cost as much as the rest.
      if (typeof field === "string" && settable && name !== "__proto__" && isWellFormed(field) && isWellFormed(name)) {
        if (field.length > state.longestText) state.longestText = field.length;
        fields[name] = field;
      } else copyField(fields, name, field, at, state, depth);
    }
  for (; next < names.length; next++) {
    const name = names[next] ?? ""; // cannot happen: the index is below the length
    const field = given[name];
    if (field === undefined) continue;
    some = true;
    copyField(fields, name, field, at, state, depth);
  }
  return some ? fields : nothing;
}

/** Whether inherited names can be assigned. Not if Object.prototype is frozen, as in hardened realms. */
let settable = !Object.isFrozen(Object.prototype);

/** Objects with more fields are probably dictionaries, for which iterating the names twice costs more. */
const few = 64;

function copyField(fields: Fields, name: string, field: unknown, at: string, state: CopyState, depth: number): void {
  if (!isWellFormed(name)) noteHalf(at, name, state);
  const value = copy(field, at, name, state, depth);
  // Define instead of assign: a name from the caller must not set the prototype, nor fail because of a frozen one.
  if (settable ? name === "__proto__" : name in fields)
    Object.defineProperty(fields, name, { value, enumerable: true, configurable: true, writable: true });
  else fields[name] = value;
}

function copy(value: unknown, at: string, name: Name, state: CopyState, depth: number): Value {
  if (typeof value === "string") return checkText(value, at, name, state);
  return typeof value === "object" && value !== null ? copyInner(value, at, name, state, depth) : copyScalar(value, at, name, state);
}

function copyScalar(value: unknown, at: string, name: Name, state: CopyState): Value {
  if (value === null || typeof value === "boolean") return value;
  // JSON has no -0: adding 0 turns it into 0.
  if (typeof value === "number" && Number.isFinite(value)) return state.integers && Number.isInteger(value) ? BigInt(value) : value + 0;
  if (typeof value === "bigint" && state.integers) return value;
  return refuse(value, placeOf(at, name), state);
}

function refuse(value: unknown, at: string, state: CopyState): null {
  addProblem(state, at, `is not a JSON value: ${describeType(value)}`);
  return null;
}

function copyInner(value: object, within: string, name: Name, state: CopyState, depth: number): Value {
  if (depth >= deepest) {
    addProblem(state, placeOf(within, name).slice(0, 80), `is nested deeper than ${deepest} levels, or circular`);
    return null;
  }
  const at = placeOf(within, name);
  if (Array.isArray(value)) return takeList(value, at, state, depth + 1);
  // Dates and similar objects define their own JSON form.
  if ("toJSON" in value && typeof value.toJSON === "function") return copy(value.toJSON(), at, undefined, state, depth + 1);
  return isHidden(value) ? refuse(value, at, state) : copyFields(value, at, state, depth + 1);
}

/** The standard iterator of lists; a list with another one is iterated by it. */
const inOrder = Array.prototype[Symbol.iterator];

function takeList(list: readonly unknown[], at: string, state: CopyState, depth: number): readonly Value[] {
  if (list[Symbol.iterator] !== inOrder) return Array.from(list, (item, index) => copy(item, at, index, state, depth));
  const items: Value[] = [];
  for (let index = 0; index < list.length; index++) items.push(copy(list[index], at, index, state, depth));
  return items;
}
