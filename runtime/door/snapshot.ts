/** Attributes, claims and globals of a program -> JSON of our own, as `JSON.stringify` would see them: what policies see cannot change under them. */
import type { JsonObject, Value } from "../cel/value.ts";
import { type Note, wordFor } from "./problems.ts";

/** As deep as a request to a server may be. */
const deepest = 1_000;

/** How a value is taken. */
export interface Taking {
  readonly note: Note;
  /** Told of each text. */
  readonly sees: (text: string) => void;
  /** Whole numbers are ints. */
  readonly integers: boolean;
}

/** Takes an object; undefined where there is none in it, or it is none. */
export function takeObject(value: unknown, at: string, taking: Taking): JsonObject | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "object" || Array.isArray(value)) {
    taking.note(at, `must be an object: ${wordFor(value)}`);
    return undefined;
  }
  if (Object.hasOwn(value, "")) taking.note(at, "has an attribute without a name");
  const taken = takeFields(value, at, taking, 1);
  return Object.keys(taken).length === 0 ? undefined : taken;
}

/** The name of a field, the index of an item; nothing where the place is that of the value itself. */
type Name = string | number | undefined;

/** Put into words only for whoever has to be told, and for what stands within. */
const placeOf = (at: string, name: Name): string =>
  name === undefined ? at : typeof name === "number" ? `${at}[${name}]` : `${at}.${name}`;

function takeFields(value: object, at: string, taking: Taking, depth: number): JsonObject {
  const given = value as { readonly [name: string]: unknown }; // its own names are asked for, no others
  const fields: { [name: string]: Value } = {};
  for (const name of Object.keys(given)) {
    const field = given[name];
    if (field === undefined) continue;
    const taken = take(field, at, name, taking, depth);
    // A name of the caller's must not become a prototype.
    if (name === "__proto__") Object.defineProperty(fields, name, { value: taken, enumerable: true, configurable: true, writable: true });
    else fields[name] = taken;
  }
  return fields;
}

function take(value: unknown, at: string, name: Name, taking: Taking, depth: number): Value {
  switch (typeof value) {
    case "string":
      taking.sees(value);
      return value;
    case "boolean":
      return value;
    case "number":
      if (!Number.isFinite(value)) break;
      return taking.integers && Number.isInteger(value) ? BigInt(value) : value;
    case "bigint":
      if (taking.integers) return value;
      break;
    case "object":
      if (value === null) return null;
      if (depth >= deepest) {
        taking.note(placeOf(at, name).slice(0, 80), `is nested deeper than ${deepest} levels, or in a circle`);
        return null;
      }
      return takeInner(value, placeOf(at, name), taking, depth);
    default:
  }
  taking.note(placeOf(at, name), `cannot be said in JSON: ${wordFor(value)}`);
  return null;
}

function takeInner(value: object, at: string, taking: Taking, depth: number): Value {
  if (Array.isArray(value)) return Array.from(value, (item, index) => take(item, at, index, taking, depth + 1));
  // Dates and their like say how they are written.
  if ("toJSON" in value && typeof value.toJSON === "function") return take(value.toJSON(), at, undefined, taking, depth + 1);
  if (value instanceof Map || value instanceof Set || ArrayBuffer.isView(value)) {
    taking.note(at, `cannot be said in JSON: ${wordFor(value)}`);
    return null;
  }
  return takeFields(value, at, taking, depth + 1);
}
