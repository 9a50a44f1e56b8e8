/**
 * Converts JSON Schema to types. A type accepts whatever its schema accepts; what TypeScript cannot express is left out, at worst
 * `unknown`.
 */
import type { Dialect } from "../schemas/dialects.ts";
import { ignoresReferenceSiblings } from "../schemas/dialects.ts";
import type { Json } from "../schemas/document.ts";
import { isList, isObject, ownProperty, type SchemaObject } from "./schema-documents.ts";
import { intersection, union, keyword, type Member, type Type } from "./type.ts";

/** The context of a schema. */
export interface SchemaContext {
  readonly dialect: Dialect;
  /** Returns the type of a reference. */
  readonly typeOfReference: (reference: string) => Type;
}

/** Returns the type of the values that a schema accepts. */
export function typeOfSchema(schema: Json, context: SchemaContext): Type {
  if (schema === false) return keyword("never");
  if (!isObject(schema)) return keyword("unknown");
  const ref = ownProperty(schema, "$ref");
  const referred = typeof ref === "string" ? [context.typeOfReference(ref)] : [];
  if (referred.length > 0 && ignoresReferenceSiblings(context.dialect)) return intersection(referred);
  const some = (name: string): readonly Json[] => list(ownProperty(schema, name)) ?? [];
  const either = ["anyOf", "oneOf"].flatMap((name) => {
    const among = some(name);
    return among.length === 0 ? [] : [union(among.map((each) => typeOfSchema(each, context)))];
  });
  const every = some("allOf").map((each) => typeOfSchema(each, context));
  return intersection([...referred, typeOfKeywords(schema, context), ...every, ...either]);
}

const list = (value: Json | undefined): readonly Json[] | undefined => (isList(value) ? value : undefined);

/** Returns the type by the keywords of the schema itself. */
function typeOfKeywords(schema: SchemaObject, context: SchemaContext): Type {
  if (Object.hasOwn(schema, "const")) return typeOfValue(schema["const"] ?? null);
  const values = list(ownProperty(schema, "enum"));
  if (values !== undefined) return union(values.map(typeOfValue));
  const written = ownProperty(schema, "type");
  const types = typeof written === "string" ? [written] : (list(written) ?? [impliedType(schema)]);
  return union(types.map((type) => typeOfJsonType(type, schema, context)));
}

const objectKeywords = ["properties", "required", "patternProperties", "additionalProperties"] as const;
const arrayKeywords = ["items", "prefixItems"] as const;

/** Returns the type that a schema without `type` implies: keywords for objects or arrays mean that it is one. */
function impliedType(schema: SchemaObject): string {
  if (objectKeywords.some((name) => Object.hasOwn(schema, name))) return "object";
  return arrayKeywords.some((name) => Object.hasOwn(schema, name)) ? "array" : "";
}

function typeOfJsonType(type: Json, schema: SchemaObject, context: SchemaContext): Type {
  switch (type) {
    case "string":
    case "number":
    case "boolean":
    case "null":
      return keyword(type);
    case "integer":
      return keyword("number");
    case "array":
      return typeOfArray(schema, context);
    case "object":
      return typeOfObject(schema, context);
    default:
      return keyword("unknown");
  }
}

/** Returns the type of one value: a literal, or an object or tuple of such types. */
function typeOfValue(value: Json): Type {
  if (isList(value)) return { kind: "tuple", items: value.map(typeOfValue), required: value.length, rest: undefined };
  if (isObject(value)) {
    const members = Object.entries(value).map(([name, of]) => ({ name, type: typeOfValue(of), isOptional: false, description: "" }));
    return { kind: "object", members, others: undefined };
  }
  return typeof value === "number" && !Number.isFinite(value) ? keyword("number") : { kind: "literal", value };
}

/** Tuples with more items become arrays. */
const maxTupleItems = 100;

function typeOfArray(schema: SchemaObject, context: SchemaContext): Type {
  const items = ownProperty(schema, "items");
  const first = list(ownProperty(schema, "prefixItems")) ?? list(items);
  if (first === undefined || first.length > maxTupleItems)
    return { kind: "array", of: items === undefined || isList(items) ? keyword("unknown") : typeOfSchema(items, context) };
  const others = isList(items) ? ownProperty(schema, "additionalItems") : items;
  const least = ownProperty(schema, "minItems");
  const required = typeof least === "number" ? Math.max(0, Math.min(Math.ceil(least), first.length)) : 0;
  return {
    kind: "tuple",
    items: first.map((each) => typeOfSchema(each, context)),
    required,
    rest: others === false ? undefined : others === undefined ? keyword("unknown") : typeOfSchema(others, context),
  };
}

function typeOfObject(schema: SchemaObject, context: SchemaContext): Type {
  // Of names that other schemas here evaluate nothing is known, and without members of its own this type would refuse them all.
  if (isClosedBehindOthers(schema)) return keyword("unknown");
  const properties = ownProperty(schema, "properties");
  const required = new Set((list(ownProperty(schema, "required")) ?? []).filter((name) => typeof name === "string"));
  const listed = isObject(properties) ? Object.entries(properties) : [];
  const members: Member[] = listed.map(([name, each]) => ({
    name,
    type: typeOfSchema(each, context),
    isOptional: !required.has(name),
    description: descriptionOf(each),
  }));
  const known = new Set(members.map(({ name }) => name));
  for (const name of required)
    if (!known.has(name)) members.push({ name, type: requiredOnly(name, schema, context), isOptional: false, description: "" });
  for (const name of conditionalNames(schema))
    if (!known.has(name) && !required.has(name)) members.push({ name, type: keyword("unknown"), isOptional: true, description: "" });
  return { kind: "object", members, others: typeOfOthers(schema, members, context) };
}

/** Returns the type of a required property that is not declared: only keywords for all other properties apply to it. */
function requiredOnly(name: string, schema: SchemaObject, context: SchemaContext): Type {
  const patterns = ownProperty(schema, "patternProperties");
  const others = ownProperty(schema, "additionalProperties");
  return isObject(patterns) || others === undefined || name === "" ? keyword("unknown") : typeOfSchema(others, context);
}

/** Returns the names that a schema declares under a condition, which no type expresses. */
function conditionalNames(schema: SchemaObject): ReadonlySet<string> {
  const dependent = ["dependentSchemas", "dependencies"].flatMap(
    (name) => Object.values(ownProperty(schema, name) ?? {}) as readonly Json[],
  );
  const under = [ownProperty(schema, "then"), ownProperty(schema, "else"), ...dependent];
  return new Set(under.flatMap((each) => (isObject(each) ? Object.keys(ownProperty(each, "properties") ?? {}) : [])));
}

/** The keywords whose schemas are about the same value, so that `unevaluatedProperties` is not about the properties they evaluate. */
const sameValueKeywords = ["$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "if", "dependentSchemas"] as const;
const isBesideOthers = (schema: SchemaObject): boolean => sameValueKeywords.some((name) => Object.hasOwn(schema, name));

/** Returns whether only other schemas about the same value say which properties there may be. */
const isClosedBehindOthers = (schema: SchemaObject): boolean =>
  ownProperty(schema, "unevaluatedProperties") === false &&
  isBesideOthers(schema) &&
  !objectKeywords.some((name) => Object.hasOwn(schema, name));

/** Returns the schema of undeclared properties; undefined if there is none. */
function additionalOf(schema: SchemaObject): Json | undefined {
  const additional = ownProperty(schema, "additionalProperties");
  const unevaluated = ownProperty(schema, "unevaluatedProperties");
  return additional ?? (unevaluated !== undefined && unevaluated !== false && isBesideOthers(schema) ? true : unevaluated);
}

/**
 * Returns the type of undeclared properties. If the schema does not mention them they are allowed, but the type has none, so that
 * misspelt names are errors.
 */
function typeOfOthers(schema: SchemaObject, members: readonly Member[], context: SchemaContext): Type | undefined {
  const patterns = ownProperty(schema, "patternProperties");
  const patterned = isObject(patterns) ? Object.values(patterns) : [];
  const additional = additionalOf(schema);
  if (additional === undefined && patterned.length === 0) return members.length === 0 ? keyword("unknown") : undefined;
  if (additional === false && patterned.length === 0) return undefined;
  const others = additional === false ? [] : [additional === undefined ? keyword("unknown") : typeOfSchema(additional, context)];
  // An index signature must include the types of all properties.
  const all = union([...members.map(({ type }) => type), ...patterned.map((each) => typeOfSchema(each, context)), ...others]);
  return members.some(({ isOptional }) => isOptional) ? union([all, keyword("undefined")]) : all;
}

/** Returns the author's description of a schema, or "". */
export function descriptionOf(schema: Json): string {
  if (!isObject(schema)) return "";
  const words = ownProperty(schema, "description") ?? ownProperty(schema, "title");
  return typeof words === "string" ? words : "";
}
