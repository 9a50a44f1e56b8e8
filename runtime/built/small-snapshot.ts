/** Replaces `door/snapshot.ts` in modules for browsers and workers: the same behaviour in less code. */
import type { JsonObject, Value } from "../cel/value.ts";
import { addProblem, describeType } from "../door/problems.ts";
import type { openCopyState as open, copyObject as copyOne, checkText as checkOneText, CopyState } from "../door/snapshot.ts";
import { isWellFormed } from "../door/well-formed.ts";

/** Returns the initial state. */
export const openCopyState: typeof open = (integers) => ({ problems: undefined, longestText: 0, integers });

type Fields = { readonly [name: string]: unknown };

/** The deepest nesting, the same as for requests to a server. */
const deepest = 1_000;

/** Copies an object; undefined if it is null, undefined or empty. Anything else is reported. */
export const copyObject: typeof copyOne = (value, at, state) => {
  if (value === undefined || value === null) return undefined;
  const copied = copy(value, at, state, 0);
  if (copied === null) return undefined;
  if (typeof copied !== "object" || Array.isArray(copied)) {
    addProblem(state, at, `must be an object: ${describeType(value)}`);
    return undefined;
  }
  if (Object.hasOwn(copied, "")) addProblem(state, at, "has an attribute without a name");
  // A cast: lists, null and scalars were excluded.
  return Object.keys(copied).length === 0 ? undefined : (copied as JsonObject);
};

/** Checks a string and returns it. */
export const checkText: typeof checkOneText = (text, at, name, state) => {
  if (text.length > state.longestText) state.longestText = text.length;
  return wholeText(text, name === undefined ? at : `${at}.${name}`, state);
};

function wholeText(text: string, at: string, state: CopyState): string {
  if (!isWellFormed(text)) addProblem(state, at, "holds half a surrogate pair");
  return text;
}

function copyFields(given: Fields, at: string, state: CopyState, depth: number): JsonObject {
  const copied: { [name: string]: Value } = {};
  for (const name of Object.keys(given)) {
    const field = given[name];
    if (field === undefined) continue;
    const place = `${at}.${name}`;
    wholeText(name, place, state);
    const value = copy(field, place, state, depth);
    // Define instead of assign: a name from the caller must not set the prototype, nor fail because of a frozen one.
    if (name in copied) Object.defineProperty(copied, name, { value, enumerable: true, configurable: true, writable: true });
    else copied[name] = value;
  }
  return copied;
}

function copy(value: unknown, at: string, state: CopyState, depth: number): Value {
  if (typeof value === "string") return checkText(value, at, undefined, state);
  if (value === null || typeof value === "boolean" || (typeof value === "bigint" && state.integers)) return value;
  // JSON has no -0: adding 0 turns it into 0.
  if (typeof value === "number" && Number.isFinite(value)) return state.integers && Number.isInteger(value) ? BigInt(value) : value + 0;
  if (typeof value === "object") {
    if (depth >= deepest) {
      addProblem(state, at.slice(0, 80), `is nested deeper than ${deepest} levels, or circular`);
      return null;
    }
    if (Array.isArray(value)) return Array.from(value, (item, index) => copy(item, `${at}[${index}]`, state, depth + 1));
    // Dates and similar objects define their own JSON form.
    if ("toJSON" in value && typeof value.toJSON === "function") return copy(value.toJSON(), at, state, depth + 1);
    if (!isHidden(value)) return copyFields(value as Fields, at, state, depth + 1);
  }
  addProblem(state, at, `is not a JSON value: ${describeType(value)}`);
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
