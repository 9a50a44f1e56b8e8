/** JSON Schema 2020-12 by the letter, for some of its words: whether a value is valid, and what was evaluated of it. Slow and plain. */
import { isDeepStrictEqual } from "node:util";

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
export type Schema = boolean | Words;

interface Named {
  readonly [name: string]: Schema;
}
interface Words {
  readonly $schema?: string;
  readonly $defs?: Named;
  readonly $dynamicAnchor?: string;
  /** To the whole, `#`, or to one of its `$defs`. */
  readonly $ref?: string;
  /** To the anchor of the whole. */
  readonly $dynamicRef?: string;
  readonly type?: string;
  readonly const?: Json;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
  readonly if?: Schema;
  readonly then?: Schema;
  readonly else?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly prefixItems?: readonly Schema[];
  readonly items?: Schema;
  readonly contains?: Schema;
  readonly minContains?: number;
  readonly maxContains?: number;
  readonly unevaluatedItems?: Schema;
  readonly minProperties?: number;
  readonly required?: readonly string[];
  readonly dependentSchemas?: Named;
  readonly properties?: Named;
  readonly patternProperties?: Named;
  readonly additionalProperties?: Schema;
  readonly unevaluatedProperties?: Schema;
}

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
  if (schema.type !== undefined) holds(schema.type === typeOf(value));
  if (schema.const !== undefined) holds(isDeepStrictEqual(schema.const, value));
  for (const inner of schema.allOf ?? []) holds(apply(inner));
  if (schema.anyOf) holds(schema.anyOf.map(apply).includes(true));
  if (schema.oneOf) holds(schema.oneOf.map(apply).filter(Boolean).length === 1);
  if (schema.not !== undefined) holds(evaluate(schema.not, value, root) === undefined);
  if (schema.if !== undefined) holds(apply(schema.if) ? apply(schema.then) : apply(schema.else));
  if (schema.$ref === "#" || schema.$dynamicRef !== undefined) holds(apply(root));
  else if (schema.$ref !== undefined && typeof root === "object") holds(apply(root.$defs?.[schema.$ref.slice("#/$defs/".length)]));
  if (isList(value)) {
    holds(value.length >= (schema.minItems ?? 0) && value.length <= (schema.maxItems ?? Infinity));
    value.forEach((item, at) => {
      const inner = schema.prefixItems?.[at] ?? schema.items;
      if (inner !== undefined) part(String(at), inner, item);
    });
    const { contains } = schema;
    if (contains !== undefined) {
      const fitting = value.flatMap((item, at) => (evaluate(contains, item, root) === undefined ? [] : [String(at)]));
      holds(fitting.length >= (schema.minContains ?? 1) && fitting.length <= (schema.maxContains ?? Infinity));
      for (const at of fitting) evaluated.add(at);
    }
    const others = schema.unevaluatedItems;
    if (others !== undefined) value.forEach((item, at) => void (evaluated.has(String(at)) || part(String(at), others, item)));
  } else if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value);
    holds(fields.length >= (schema.minProperties ?? 0));
    for (const name of schema.required ?? []) holds(Object.hasOwn(value, name));
    for (const [name, inner] of Object.entries(schema.dependentSchemas ?? {})) if (Object.hasOwn(value, name)) holds(apply(inner));
    for (const [name, field] of fields) {
      const own = [
        ...Object.entries(schema.properties ?? {}).filter(([property]) => property === name),
        ...Object.entries(schema.patternProperties ?? {}).filter(([pattern]) => new RegExp(pattern).test(name)),
      ];
      for (const [, inner] of own) part(name, inner, field);
      if (own.length === 0 && schema.additionalProperties !== undefined) part(name, schema.additionalProperties, field);
    }
    const others = schema.unevaluatedProperties;
    if (others !== undefined) for (const [name, field] of fields) if (!evaluated.has(name)) part(name, others, field);
  }
  return valid ? evaluated : undefined;
}

const typeOf = (value: Json): string => (value === null ? "null" : isList(value) ? "array" : typeof value);
const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
