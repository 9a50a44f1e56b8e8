/** The JSON Schemas (draft-07) of settings, for editors. A variable may stand in every value, and a key alone means its default. */
import type { JsonSchema } from "../editor/json-schema.ts";

const variable = "\\$\\{";
// Of these, only texts are held to a pattern: a value that is no text is held to its type.
const orVariable = (...types: readonly string[]) => ({ type: [...types, "string", "null"], pattern: variable });

/** `true` or `false`. */
export const flagForm: JsonSchema = orVariable("boolean");

/** A whole number within bounds. */
export const numberForm = (least: number, most: number): JsonSchema => ({ ...orVariable("integer"), minimum: least, maximum: most });

/** Any text; numbers and booleans are read as they are written. */
export const textForm: JsonSchema = { type: ["string", "number", "boolean", "null"] };

/** A text of a certain form: the source of a regular expression that holds all of it. */
export const patternForm = (pattern: string, says: string): JsonSchema => ({
  type: ["string", "integer", "null"],
  pattern: `^(?:${pattern})$|${variable}`,
  patternErrorMessage: `use ${says}`,
});

/** One of a few words. */
export const wordForm = (words: readonly string[]): JsonSchema => ({
  anyOf: [{ enum: [...words, null] }, { type: "string", pattern: variable }],
});

/** A list, or one item alone. */
export const listForm = (item: JsonSchema): JsonSchema => ({ anyOf: [{ type: "array", items: item }, item] });

/** A mapping of known keys. */
export const recordForm = (properties: { readonly [key: string]: JsonSchema }, rules: JsonSchema = {}): JsonSchema => ({
  type: "object",
  properties,
  additionalProperties: false,
  ...rules,
});
