/** Replaces `door/snapshot.ts` in modules for browsers and workers: the same behaviour in less code. */
import type { JsonObject, Value } from "../cel/value.ts";
import { note, wordFor } from "../door/problems.ts";
import type { openTaking as open, takeObject as takeOne, takeText as takeOneText, Taking } from "../door/snapshot.ts";
import { isWellFormed } from "../door/well-formed.ts";

/** Returns the initial state. */
export const openTaking: typeof open = (integers) => ({ problems: undefined, longestText: 0, integers });

type Fields = { readonly [name: string]: unknown };

/** The deepest nesting, the same as for requests to a server. */
const deepest = 1_000;

/** Copies an object; undefined if it is null, undefined or empty. Anything else is reported. */
export const takeObject: typeof takeOne = (value, at, taking) => {
  if (value === undefined || value === null) return undefined;
  const taken = take(value, at, taking, 0);
  if (taken === null) return undefined;
  if (typeof taken !== "object" || Array.isArray(taken)) {
    note(taking, at, `must be an object: ${wordFor(value)}`);
    return undefined;
  }
  if (Object.hasOwn(taken, "")) note(taking, at, "has an attribute without a name");
  // A cast: lists, null and scalars were excluded.
  return Object.keys(taken).length === 0 ? undefined : (taken as JsonObject);
};

/** Checks a string and returns it. */
export const takeText: typeof takeOneText = (text, at, name, taking) => {
  if (text.length > taking.longestText) taking.longestText = text.length;
  return wholeText(text, name === undefined ? at : `${at}.${name}`, taking);
};

function wholeText(text: string, at: string, taking: Taking): string {
  if (!isWellFormed(text)) note(taking, at, "holds half a surrogate pair");
  return text;
}

function takeFields(given: Fields, at: string, taking: Taking, depth: number): JsonObject {
  const taken: { [name: string]: Value } = {};
  for (const name of Object.keys(given)) {
    const field = given[name];
    if (field === undefined) continue;
    const place = `${at}.${name}`;
    wholeText(name, place, taking);
    const value = take(field, place, taking, depth);
    // Define instead of assign: a name from the caller must not set the prototype, nor fail because of a frozen one.
    if (name in taken) Object.defineProperty(taken, name, { value, enumerable: true, configurable: true, writable: true });
    else taken[name] = value;
  }
  return taken;
}

function take(value: unknown, at: string, taking: Taking, depth: number): Value {
  if (typeof value === "string") return takeText(value, at, undefined, taking);
  if (value === null || typeof value === "boolean" || (typeof value === "bigint" && taking.integers)) return value;
  // JSON has no -0: adding 0 turns it into 0.
  if (typeof value === "number" && Number.isFinite(value)) return taking.integers && Number.isInteger(value) ? BigInt(value) : value + 0;
  if (typeof value === "object") {
    if (depth >= deepest) {
      note(taking, at.slice(0, 80), `is nested deeper than ${deepest} levels, or circular`);
      return null;
    }
    if (Array.isArray(value)) return Array.from(value, (item, index) => take(item, `${at}[${index}]`, taking, depth + 1));
    // Dates and similar objects define their own JSON form.
    if ("toJSON" in value && typeof value.toJSON === "function") return take(value.toJSON(), at, taking, depth + 1);
    if (!isHidden(value)) return takeFields(value as Fields, at, taking, depth + 1);
  }
  note(taking, at, `is not a JSON value: ${wordFor(value)}`);
  return null;
}

/** Whether an object's contents are elsewhere than in its own properties. */
function isHidden(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return false;
  if (value instanceof Map || value instanceof Set || ArrayBuffer.isView(value) || tagOf(value) === "[object String]") return true;
  return Object.getPrototypeOf(prototype) !== null && Object.keys(value).length === 0;
}

/** Recognises String objects of any realm. */
const tagOf = (value: object): string => Object.prototype.toString.call(value);
