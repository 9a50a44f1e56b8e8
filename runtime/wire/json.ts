/** JSON as JSON.parse hands it over, and the one question asked of it: is this an object? */
import type { JsonObject } from "../cel/value.ts";

/** What JSON.parse can answer. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Says that a value read from JSON is an object, so that its keys may be looked at. */
export const isJsonObject = (value: Json | undefined): value is { readonly [key: string]: Json } & JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Names the kind of a value read from JSON the way an error sentence wants it. */
export const kindOf = (value: Json): string => {
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
};
