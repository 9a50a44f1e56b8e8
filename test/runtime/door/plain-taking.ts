/** The plain way to take attributes, claims and globals: what the quick way is held to, values and words. */
import type { JsonObject, Value } from "../../../runtime/cel/value.ts";
import { note, wordFor } from "../../../runtime/door/problems.ts";
import type { takeObject as takeOne, Taking } from "../../../runtime/door/snapshot.ts";

type Fields = { readonly [name: string]: unknown };

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);

/** Notes how long a text is. */
function see(text: string, taking: Taking): string {
  if (text.length > taking.longestText) taking.longestText = text.length;
  return text;
}

/** As deep as a request to a server may be. */
const deepest = 1_000;

/** Takes an object; undefined where there is none in it, or it is none. */
export const takePlainly: typeof takeOne = (value, at, taking) => {
  if (value === undefined || value === null) return undefined;
  if (!isFields(value)) {
    note(taking, at, `must be an object: ${wordFor(value)}`);
    return undefined;
  }
  if (Object.hasOwn(value, "")) note(taking, at, "has an attribute without a name");
  const taken = takeFields(value, at, taking, 1);
  return Object.keys(taken).length === 0 ? undefined : taken;
};

function takeFields(given: Fields, at: string, taking: Taking, depth: number): JsonObject {
  const taken: { [name: string]: Value } = {};
  for (const name of Object.keys(given)) {
    const field = given[name];
    if (field === undefined) continue;
    // A text, as most are, needs no words for its place.
    const value = typeof field === "string" ? see(field, taking) : take(field, `${at}.${name}`, taking, depth);
    // A name of the caller's must not become a prototype.
    if (name === "__proto__") Object.defineProperty(taken, name, { value, enumerable: true, configurable: true, writable: true });
    else taken[name] = value;
  }
  return taken;
}

function take(value: unknown, at: string, taking: Taking, depth: number): Value {
  if (typeof value === "string") return see(value, taking);
  if (value === null || typeof value === "boolean" || (typeof value === "bigint" && taking.integers)) return value;
  if (typeof value === "number" && Number.isFinite(value)) return taking.integers && Number.isInteger(value) ? BigInt(value) : value;
  if (typeof value === "object") {
    if (depth >= deepest) {
      note(taking, at.slice(0, 80), `is nested deeper than ${deepest} levels, or in a circle`);
      return null;
    }
    if (Array.isArray(value)) return Array.from(value, (item, index) => take(item, `${at}[${index}]`, taking, depth + 1));
    // Dates and their like say how they are written.
    if ("toJSON" in value && typeof value.toJSON === "function") return take(value.toJSON(), at, taking, depth + 1);
    if (!(value instanceof Map || value instanceof Set || ArrayBuffer.isView(value)))
      return takeFields(value as Fields, at, taking, depth + 1);
  }
  note(taking, at, `cannot be said in JSON: ${wordFor(value)}`);
  return null;
}
