/**
 * Copies attributes, claims and globals to JSON values of our own, as `JSON.stringify` would see them, so that they
 * cannot change while policies read them.
 */
import { isJsonObject } from "../cel/kind.ts";
import type { JsonObject, Value } from "../cel/value.ts";
import { isHidden } from "./hidden.ts";
import { type Found, note, wordFor } from "./problems.ts";
import { isWellFormed } from "./well-formed.ts";

/** The deepest nesting, the same as for requests to a server. */
const deepest = 1_000;

/** The state while values are copied. */
export interface Taking extends Found {
  /** Length in UTF-16 units of the longest string. */
  longestText: number;
  /** Whether whole numbers become ints. */
  readonly integers: boolean;
}

/** Returns the initial state. */
export const openTaking = (integers: boolean): Taking => ({ problems: undefined, longestText: 0, integers });

/** Copies an object; undefined if it is null, undefined or empty. Anything else is reported. */
export function takeObject(value: unknown, at: string, taking: Taking): JsonObject | undefined {
  if (value === undefined || value === null) return undefined;
  // Fast path for plain objects; others are examined further.
  const taken = isPlain(value) ? takeFields(value, at, taking, 1) : take(value, at, undefined, taking, 0);
  // Either it was refused and reported, or its `toJSON` returned null.
  if (taken === nothing || taken === null) return undefined;
  if (!isJsonObject(taken)) {
    note(taking, at, `must be an object: ${wordFor(value)}`);
    return undefined;
  }
  if (Object.hasOwn(taken, "")) note(taking, at, "has an attribute without a name");
  return taken;
}

const isPlain = (value: object): boolean => Object.getPrototypeOf(value) === Object.prototype && !("toJSON" in value);

/** The shared result for an object without fields, which are frequent. */
const nothing: JsonObject = Object.freeze({});

/** Checks a string and returns it. */
export function takeText(text: string, at: string, name: Name, taking: Taking): string {
  if (text.length > taking.longestText) taking.longestText = text.length;
  if (!isWellFormed(text)) noteHalf(at, name, taking);
  return text;
}

const noteHalf = (at: string, name: Name, taking: Taking): void => note(taking, placeOf(at, name), "holds half a surrogate pair");

interface Fields {
  [name: string]: Value;
}

/** The name of a field or the index of an item; undefined if the path is complete already. */
export type Name = string | number | undefined;

/** Builds a path; called only for reports and for nested values. */
export const placeOf = (at: string, name: Name): string =>
  name === undefined ? at : typeof name === "number" ? `${at}[${name}]` : `${at}.${name}`;

/** Copies the fields of an object. */
function takeFields(value: object, at: string, taking: Taking, depth: number): JsonObject {
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
        if (field.length > taking.longestText) taking.longestText = field.length;
        fields[name] = field;
      } else takeField(fields, name, field, at, taking, depth);
    }
  for (; next < names.length; next++) {
    const name = names[next] ?? ""; // cannot happen: the index is below the length
    const field = given[name];
    if (field === undefined) continue;
    some = true;
    takeField(fields, name, field, at, taking, depth);
  }
  return some ? fields : nothing;
}

/** Whether inherited names can be assigned. Not if Object.prototype is frozen, as in hardened realms. */
const settable = !Object.isFrozen(Object.prototype);

/** Objects with more fields are probably dictionaries, for which iterating the names twice costs more. */
const few = 64;

function takeField(fields: Fields, name: string, field: unknown, at: string, taking: Taking, depth: number): void {
  if (!isWellFormed(name)) noteHalf(at, name, taking);
  const value = take(field, at, name, taking, depth);
  // Define instead of assign: a name from the caller must not set the prototype, nor fail because of a frozen one.
  if (settable ? name === "__proto__" : name in fields)
    Object.defineProperty(fields, name, { value, enumerable: true, configurable: true, writable: true });
  else fields[name] = value;
}

function take(value: unknown, at: string, name: Name, taking: Taking, depth: number): Value {
  if (typeof value === "string") return takeText(value, at, name, taking);
  return typeof value === "object" && value !== null ? takeInner(value, at, name, taking, depth) : takeScalar(value, at, name, taking);
}

function takeScalar(value: unknown, at: string, name: Name, taking: Taking): Value {
  if (value === null || typeof value === "boolean") return value;
  // JSON has no -0: adding 0 turns it into 0.
  if (typeof value === "number" && Number.isFinite(value)) return taking.integers && Number.isInteger(value) ? BigInt(value) : value + 0;
  if (typeof value === "bigint" && taking.integers) return value;
  return refuse(value, placeOf(at, name), taking);
}

function refuse(value: unknown, at: string, taking: Taking): null {
  note(taking, at, `is not a JSON value: ${wordFor(value)}`);
  return null;
}

function takeInner(value: object, within: string, name: Name, taking: Taking, depth: number): Value {
  if (depth >= deepest) {
    note(taking, placeOf(within, name).slice(0, 80), `is nested deeper than ${deepest} levels, or circular`);
    return null;
  }
  const at = placeOf(within, name);
  if (Array.isArray(value)) return takeList(value, at, taking, depth + 1);
  // Dates and similar objects define their own JSON form.
  if ("toJSON" in value && typeof value.toJSON === "function") return take(value.toJSON(), at, undefined, taking, depth + 1);
  return isHidden(value) ? refuse(value, at, taking) : takeFields(value, at, taking, depth + 1);
}

/** The standard iterator of lists; a list with another one is iterated by it. */
const inOrder = Array.prototype[Symbol.iterator];

function takeList(list: readonly unknown[], at: string, taking: Taking, depth: number): readonly Value[] {
  if (list[Symbol.iterator] !== inOrder) return Array.from(list, (item, index) => take(item, at, index, taking, depth));
  const items: Value[] = [];
  for (let index = 0; index < list.length; index++) items.push(take(list[index], at, index, taking, depth));
  return items;
}
