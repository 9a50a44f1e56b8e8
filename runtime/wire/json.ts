/** The type of parsed JSON, a test for objects, and names of its types for error messages. */
import type { Json } from "../cel/to-json.ts";
import type { JsonObject } from "../cel/value.ts";

export type { Json } from "../cel/to-json.ts";

/** Whether a parsed value is an object (not a list, not null). */
export const isJsonObject = (value: Json | undefined): value is { readonly [key: string]: Json } & JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Names the type of a parsed value for an error message. */
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
