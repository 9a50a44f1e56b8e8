/** JSON Schema 2020-12 by the letter, for some of its words: whether a value is valid, and what was evaluated of it. Slow and plain. */
import { isDeepStrictEqual } from "node:util";

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
export type Schema = boolean | { readonly [word: string]: any };

/** Names and indexes that were evaluated; undefined where the value is not valid. */
type Evaluated = ReadonlySet<string> | undefined;

export const isValid = (schema: Schema, value: Json, root: Schema = schema): boolean => evaluate(schema, value, root) !== undefined;

function evaluate(schema: Schema, value: Json, root: Schema): Evaluated {
  if (typeof schema === "boolean") return schema ? new Set() : undefined;
  const evaluated = new Set<string>();
  let valid = true;
  const holds = (condition: boolean): void => void (valid &&= condition);
  /** Evaluates the value itself by another schema. */
  const apply = (inner: Schema | undefined): boolean => {
    const found = inner === undefined ? new Set<string>() : evaluate(inner, value, root);
    for (const name of found ?? []) evaluated.add(name);
    return found !== undefined;
  };
  const part = (name: string, inner: Schema, of: Json): void => {
    holds(evaluate(inner, of, root) !== undefined);
    evaluated.add(name);
  };
  if (schema["type"] !== undefined) holds([schema["type"]].flat().includes(typeOf(value)));
  if ("const" in schema) holds(isDeepStrictEqual(schema["const"], value));
  for (const inner of schema["allOf"] ?? []) holds(apply(inner));
  if (schema["anyOf"]) holds(schema["anyOf"].map(apply).includes(true));
  if (schema["oneOf"]) holds(schema["oneOf"].map(apply).filter(Boolean).length === 1);
  if (schema["not"] !== undefined) holds(evaluate(schema["not"], value, root) === undefined);
  if (schema["if"] !== undefined) holds(apply(schema["if"]) ? apply(schema["then"]) : apply(schema["else"]));
  if (schema["$ref"] !== undefined && typeof root !== "boolean") holds(apply(root["$defs"][schema["$ref"].slice("#/$defs/".length)]));
  if (Array.isArray(value)) {
    holds(value.length >= (schema["minItems"] ?? 0));
    const first: readonly Schema[] = schema["prefixItems"] ?? [];
    value.forEach((item: Json, at) => {
      if (first[at] !== undefined) part(String(at), first[at], item);
      else if (schema["items"] !== undefined) part(String(at), schema["items"], item);
    });
    if (schema["unevaluatedItems"] !== undefined)
      value.forEach((item: Json, at) => void (evaluated.has(String(at)) || part(String(at), schema["unevaluatedItems"], item)));
  } else if (typeof value === "object" && value !== null) {
    const names = Object.entries(value);
    holds(names.length >= (schema["minProperties"] ?? 0));
    for (const name of schema["required"] ?? []) holds(Object.hasOwn(value, name));
    for (const [name, inner] of Object.entries<Schema>(schema["dependentSchemas"] ?? {}))
      if (Object.hasOwn(value, name)) holds(apply(inner));
    for (const [name, field] of names) {
      const own: readonly Schema[] = [
        ...(Object.hasOwn(schema["properties"] ?? {}, name) ? [schema["properties"][name]] : []),
        ...Object.entries<Schema>(schema["patternProperties"] ?? {}).flatMap(([pattern, inner]) =>
          new RegExp(pattern).test(name) ? [inner] : [],
        ),
      ];
      for (const inner of own) part(name, inner, field);
      if (own.length === 0 && schema["additionalProperties"] !== undefined) part(name, schema["additionalProperties"], field);
    }
    if (schema["unevaluatedProperties"] !== undefined)
      for (const [name, field] of names) if (!evaluated.has(name)) part(name, schema["unevaluatedProperties"], field);
  }
  return valid ? evaluated : undefined;
}

const typeOf = (value: Json): string => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);
