/**
 * The JSON Schemas (draft-07) of settings, for editors. Every value may be a variable instead, and a key without a value means the
 * default.
 */
import type { JsonSchema } from "../editor/json-schema.ts";

const variable = "\\$\\{";
// `pattern` applies to strings only; other values are only checked for their type.
const orVariable = (...types: readonly string[]) => ({ type: [...types, "string", "null"], pattern: variable });

/** `true` or `false`. */
export const booleanSchema: JsonSchema = orVariable("boolean");

/** An integer within bounds. */
export const integerSchema = (min: number, max: number): JsonSchema => ({ ...orVariable("integer"), minimum: min, maximum: max });

/** Any string; numbers and booleans are read as they are written. */
export const stringSchema: JsonSchema = { type: ["string", "number", "boolean", "null"] };

/** A string that matches a regular expression as a whole; `says` describes it. */
export const patternSchema = (pattern: string, description: string): JsonSchema => ({
  type: ["string", "integer", "null"],
  pattern: `^(?:${pattern})$|${variable}`,
  patternErrorMessage: `use ${description}`,
});

/** One of a few words. */
export const enumSchema = (words: readonly string[]): JsonSchema => ({
  anyOf: [{ enum: [...words, null] }, { type: "string", pattern: variable }],
});

/** A list, or a single item. */
export const listSchema = (item: JsonSchema): JsonSchema => ({ anyOf: [{ type: "array", items: item }, item] });

/** A mapping with fixed keys. */
export const objectSchema = (properties: { readonly [key: string]: JsonSchema }, rules: JsonSchema = {}): JsonSchema => ({
  type: "object",
  properties,
  additionalProperties: false,
  ...rules,
});
