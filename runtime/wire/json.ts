/** JSON as JSON.parse hands it over, and the one question asked of it: is this an object? */
import type { Json } from "../cel/to-json.ts";
import type { JsonObject } from "../cel/value.ts";

export type { Json } from "../cel/to-json.ts";

/** Says that a value read from JSON is an object, so that its keys may be looked at. */
export const isJsonObject = (value: Json | undefined): value is { readonly [key: string]: Json } & JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Names the kind of a value read from JSON the way an error sentence wants it. */
export function describe(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  switch (typeof value) {
    case "string":
      return "a string";
    case "number":
      return "a number";
    case "boolean":
      return "a boolean";
    default:
      return "an object";
  }
}
