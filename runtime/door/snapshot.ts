/** Attributes, claims and globals of a program -> JSON of our own, as `JSON.stringify` would see them: what policies see cannot change under them. */
import { isJsonObject } from "../cel/kind.ts";
import type { JsonObject, Value } from "../cel/value.ts";
import { isHidden } from "./hidden.ts";
import { type Found, note, wordFor } from "./problems.ts";
import { isWellFormed } from "./well-formed.ts";

/** As deep as a request to a server may be. */
const deepest = 1_000;

/** How values are taken, and what was found in them. */
export interface Taking extends Found {
  /** Length of the longest text. */
  longestText: number;
  /** Whole numbers are ints. */
  readonly integers: boolean;
}

/** Begins to take values. */
export const openTaking = (integers: boolean): Taking => ({ problems: undefined, longestText: 0, integers });

/** Takes an object; undefined where there is none in it, or it is none. */
export function takeObject(value: unknown, at: string, taking: Taking): JsonObject | undefined {
  if (value === undefined || value === null) return undefined;
  // As most are: of the others it is asked what kind of object they are.
  const taken = isPlain(value) ? takeFields(value, at, taking, 1) : take(value, at, undefined, taking, 0);
  // What is refused was told of; what says itself that it is null is nothing.
  if (taken === nothing || taken === null) return undefined;
  if (!isJsonObject(taken)) {
    note(taking, at, `must be an object: ${wordFor(value)}`);
    return undefined;
  }
  if (Object.hasOwn(taken, "")) note(taking, at, "has an attribute without a name");
  return taken;
}

const isPlain = (value: object): boolean => Object.getPrototypeOf(value) === Object.prototype && !("toJSON" in value);

/** What is taken of an object without fields: many are, and nobody may change it. */
const nothing: JsonObject = Object.freeze({});

/** Takes a text. */
export function takeText(text: string, at: string, name: Name, taking: Taking): string {
  if (text.length > taking.longestText) taking.longestText = text.length;
  if (!isWellFormed(text)) noteHalf(at, name, taking);
  return text;
}

const noteHalf = (at: string, name: Name, taking: Taking): void => note(taking, placeOf(at, name), "holds half a surrogate pair");

interface Fields {
  [name: string]: Value;
}

/** The name of a field, the index of an item; nothing where the place is that of the value itself. */
export type Name = string | number | undefined;

/** Put into words only for whoever has to be told, and for what stands within. */
export const placeOf = (at: string, name: Name): string =>
  name === undefined ? at : typeof name === "number" ? `${at}[${name}]` : `${at}.${name}`;

/** Takes the fields of an object. */
function takeFields(value: object, at: string, taking: Taking, depth: number): JsonObject {
  const given = value as { readonly [name: string]: unknown }; // its own names are asked for, no others
  const names = Object.keys(given);
  const fields: Fields = {};
  let next = 0;
  let some = false;
  // Engines know where the values stand that `for in` comes to, and look for others by name. It names what is inherited too, and not
  // what is taken away meanwhile: where it leaves the own names, so do we leave it.
  if (names.length <= few)
    for (const name in given) {
      if (name !== names[next]) break;
      next++;
      const field = given[name];
      if (field === undefined) continue;
      some = true;
      // As most are, and what is done below with a text: a call costs as much as the rest.
      if (typeof field === "string" && settable && name !== "__proto__" && isWellFormed(field) && isWellFormed(name)) {
        if (field.length > taking.longestText) taking.longestText = field.length;
        fields[name] = field;
      } else takeField(fields, name, field, at, taking, depth);
    }
  for (; next < names.length; next++) {
    const name = names[next] ?? ""; // there are as many
    const field = given[name];
    if (field === undefined) continue;
    some = true;
    takeField(fields, name, field, at, taking, depth);
  }
  return some ? fields : nothing;
}

/** Whether a field may be set whose name is inherited: not where somebody has frozen what all objects inherit, as hardened realms do. */
const settable = !Object.isFrozen(Object.prototype);

/** An object with more fields is a table, most likely, where going over the names twice is dearer than looking for them. */
const few = 64;

function takeField(fields: Fields, name: string, field: unknown, at: string, taking: Taking, depth: number): void {
  if (!isWellFormed(name)) noteHalf(at, name, taking);
  const value = take(field, at, name, taking, depth);
  // A name of the caller's must not become a prototype, nor be refused by one.
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
  // JSON has no zero below zero.
  if (typeof value === "number" && Number.isFinite(value)) return taking.integers && Number.isInteger(value) ? BigInt(value) : value + 0;
  if (typeof value === "bigint" && taking.integers) return value;
  return refuse(value, placeOf(at, name), taking);
}

function refuse(value: unknown, at: string, taking: Taking): null {
  note(taking, at, `cannot be said in JSON: ${wordFor(value)}`);
  return null;
}

function takeInner(value: object, within: string, name: Name, taking: Taking, depth: number): Value {
  if (depth >= deepest) {
    note(taking, placeOf(within, name).slice(0, 80), `is nested deeper than ${deepest} levels, or in a circle`);
    return null;
  }
  const at = placeOf(within, name);
  if (Array.isArray(value)) return takeList(value, at, taking, depth + 1);
  // Dates and their like say how they are written.
  if ("toJSON" in value && typeof value.toJSON === "function") return take(value.toJSON(), at, undefined, taking, depth + 1);
  return isHidden(value) ? refuse(value, at, taking) : takeFields(value, at, taking, depth + 1);
}

/** How lists are gone through, unless somebody made one that says otherwise. */
const inOrder = Array.prototype[Symbol.iterator];

function takeList(list: readonly unknown[], at: string, taking: Taking, depth: number): readonly Value[] {
  if (list[Symbol.iterator] !== inOrder) return Array.from(list, (item, index) => take(item, at, index, taking, depth));
  const items: Value[] = [];
  for (let index = 0; index < list.length; index++) items.push(take(list[index], at, index, taking, depth));
  return items;
}
