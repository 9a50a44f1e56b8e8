/**
 * The JSON Schemas (draft-07) of settings, for editors. Every value may be a variable instead, and a key without a value means the
 * default.
 */
import type { JsonSchema } from "../editor/json-schema.ts";

const variable = "\\$\\{";
// `pattern` applies to strings only; other values are only checked for their type.
const orVariable = (...types: readonly string[]) => ({ type: [...types, "string", "null"], pattern: variable });

/** `true` or `false`. */
export const flagForm: JsonSchema = orVariable("boolean");

/** An integer within bounds. */
export const numberForm = (least: number, most: number): JsonSchema => ({ ...orVariable("integer"), minimum: least, maximum: most });

/** Any string; numbers and booleans are read as they are written. */
export const textForm: JsonSchema = { type: ["string", "number", "boolean", "null"] };

/** A string that matches a regular expression as a whole; `says` describes it. */
export const patternForm = (pattern: string, says: string): JsonSchema => ({
  type: ["string", "integer", "null"],
  pattern: `^(?:${pattern})$|${variable}`,
  patternErrorMessage: `use ${says}`,
});

/** One of a few words. */
export const wordForm = (words: readonly string[]): JsonSchema => ({
  anyOf: [{ enum: [...words, null] }, { type: "string", pattern: variable }],
});

/** A list, or a single item. */
export const listForm = (item: JsonSchema): JsonSchema => ({ anyOf: [{ type: "array", items: item }, item] });

/** A mapping with fixed keys. */
export const recordForm = (properties: { readonly [key: string]: JsonSchema }, rules: JsonSchema = {}): JsonSchema => ({
  type: "object",
  properties,
  additionalProperties: false,
  ...rules,
});
