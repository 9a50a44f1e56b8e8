/** Converts the shape of a document to a JSON Schema (draft-07), for editors. */
import type { Form, Shape } from "../../compiler/yaml/shape.ts";

/** A schema, or a part of one. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** Returns the description of a field by its path: `resourcePolicy.rules[].effect`. */
export type Describe = (path: string) => string | undefined;

/** Converts the shape of a document. */
export function toJsonSchema(title: string, shape: Shape<unknown>, describe: Describe): JsonSchema {
  const definitions = new Map<string, JsonSchema>();
  const schema = convert(shape, { path: "", pointer: "#", describe, definitions });
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title,
    ...schema,
    ...(definitions.size > 0 && { definitions: Object.fromEntries(definitions) }),
  };
}

interface Where {
  readonly path: string;
  /** The JSON pointer of the part in the schema: the other spelling of a field refers to it. */
  readonly pointer: string;
  readonly describe: Describe;
  /** Recursive shapes, by name. */
  readonly definitions: Map<string, JsonSchema>;
}

function convert(shape: Shape<unknown>, where: Where): JsonSchema {
  const { form } = shape;
  const isRequired = shape.required === true;
  switch (form.kind) {
    case "string":
      return stringSchema(form, isRequired);
    case "boolean":
      return { type: "boolean" };
    case "oneOf":
      return enumSchema(form.words, isRequired);
    case "wholeNumber":
      return {
        anyOf: [
          { type: "integer", minimum: 0 },
          { type: "string", pattern: "^[0-9]{1,20}$" },
        ],
      };
    case "json":
      return {};
    case "list": {
      const items = convert(form.item, { ...where, path: `${where.path}[]`, pointer: `${where.pointer}/items` });
      return { type: "array", items, ...(form.unique && { uniqueItems: true }), ...(isRequired && { minItems: 1 }) };
    }
    case "map": {
      const value = convert(form.value, { ...where, path: `${where.path}.*`, pointer: `${where.pointer}/additionalProperties` });
      return { type: "object", additionalProperties: value, ...(isRequired && { minProperties: 1 }) };
    }
    case "record":
      return recordSchema(form, where);
    case "within":
      if (!where.definitions.has(form.name)) {
        where.definitions.set(form.name, {}); // registered before it is made, because it is recursive
        const pointer = `#/definitions/${form.name}`;
        where.definitions.set(form.name, convert(form.shape(), { ...where, path: form.name, pointer }));
      }
      return { $ref: `#/definitions/${form.name}` };
  }
}

/** Integers and booleans are read as strings where they occur, and an empty value as "". */
function stringSchema({ pattern }: Form & { readonly kind: "string" }, isRequired: boolean): JsonSchema {
  const mayBeEmpty = !isRequired && (pattern?.expression.test("") ?? true);
  return {
    type: ["string", "integer", "boolean", ...(mayBeEmpty ? ["null"] : [])],
    ...(pattern === undefined
      ? isRequired && { minLength: 1 }
      : pattern.expression.source === anyText
        ? { minLength: 1 } // The same, in a form that every validator supports.
        : { pattern: pattern.expression.source, patternErrorMessage: `use ${pattern.description}` }),
  };
}

const anyText = "^[^]+$";

function enumSchema(words: readonly string[], isRequired: boolean): JsonSchema {
  const [zero, ...others] = words;
  const first = isRequired ? 1 : 0;
  return {
    anyOf: [
      { enum: isRequired ? others : [...others, zero] },
      { type: "integer", minimum: first, maximum: words.length - 1 },
      ...(isRequired ? [] : [{ type: "null" }]),
    ],
  };
}

function recordSchema({ fields, choice }: Form & { readonly kind: "record" }, where: Where): JsonSchema {
  const properties: (readonly [string, JsonSchema])[] = [];
  const rules: JsonSchema[] = [];
  for (const [name, shape] of Object.entries(fields)) {
    const path = where.path === "" ? name : `${where.path}.${name}`;
    const pointer = `${where.pointer}/properties/${name}`;
    const description = where.describe(path);
    properties.push([name, { ...(description !== undefined && { description }), ...convert(shape, { ...where, path, pointer }) }]);
    const other = snakeCase(name);
    if (other !== name) {
      properties.push([other, { $ref: pointer, doNotSuggest: true }]);
      rules.push({ not: { required: [name, other] } });
    }
    if (shape.required === true) rules.push(given(name));
  }
  // `oneOf` reports both too many choices and a missing one.
  if (choice !== undefined) rules.push({ oneOf: choice.map(given) });
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    additionalProperties: false,
    ...(rules.length > 0 && { allOf: rules }),
  };
}

/** Requires a field in either of its spellings. */
function given(name: string): JsonSchema {
  const other = snakeCase(name);
  return other === name ? { required: [name] } : { anyOf: [{ required: [name] }, { required: [other] }] };
}

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
