/**
 * Converts JSON Schema to types. A type accepts whatever its schema accepts; what TypeScript cannot express is left out, at worst
 * `unknown`.
 */
import type { Dialect } from "../schemas/dialects.ts";
import { ignoresReferenceSiblings } from "../schemas/dialects.ts";
import type { Json } from "../schemas/document.ts";
import { isList, isObject, member, type SchemaObject } from "./schema-documents.ts";
import { intersection, union, word, type Member, type Type } from "./type.ts";

/** The context of a schema. */
export interface Around {
  readonly dialect: Dialect;
  /** Returns the type of a reference. */
  readonly refer: (reference: string) => Type;
}

/** Returns the type of the values that a schema accepts. */
export function typeOfSchema(schema: Json, around: Around): Type {
  if (schema === false) return word("never");
  if (!isObject(schema)) return word("unknown");
  const ref = member(schema, "$ref");
  const referred = typeof ref === "string" ? [around.refer(ref)] : [];
  if (referred.length > 0 && ignoresReferenceSiblings(around.dialect)) return intersection(referred);
  const some = (name: string): readonly Json[] => list(member(schema, name)) ?? [];
  const either = ["anyOf", "oneOf"].flatMap((name) => {
    const among = some(name);
    return among.length === 0 ? [] : [union(among.map((each) => typeOfSchema(each, around)))];
  });
  const every = some("allOf").map((each) => typeOfSchema(each, around));
  return intersection([...referred, typeOfWords(schema, around), ...every, ...either]);
}

const list = (value: Json | undefined): readonly Json[] | undefined => (isList(value) ? value : undefined);

/** Returns the type by the keywords of the schema itself. */
function typeOfWords(schema: SchemaObject, around: Around): Type {
  if (Object.hasOwn(schema, "const")) return typeOfValue(schema["const"] ?? null);
  const values = list(member(schema, "enum"));
  if (values !== undefined) return union(values.map(typeOfValue));
  const written = member(schema, "type");
  const types = typeof written === "string" ? [written] : (list(written) ?? [meant(schema)]);
  return union(types.map((type) => typeOfKind(type, schema, around)));
}

const objectWords = ["properties", "required", "patternProperties", "additionalProperties"] as const;
const arrayWords = ["items", "prefixItems"] as const;

/** Returns the type that a schema without `type` implies: keywords for objects or arrays mean that it is one. */
function meant(schema: SchemaObject): string {
  if (objectWords.some((name) => Object.hasOwn(schema, name))) return "object";
  return arrayWords.some((name) => Object.hasOwn(schema, name)) ? "array" : "";
}

function typeOfKind(type: Json, schema: SchemaObject, around: Around): Type {
  switch (type) {
    case "string":
    case "number":
    case "boolean":
    case "null":
      return word(type);
    case "integer":
      return word("number");
    case "array":
      return typeOfArray(schema, around);
    case "object":
      return typeOfObject(schema, around);
    default:
      return word("unknown");
  }
}

/** Returns the type of one value: a literal, or an object or tuple of such types. */
function typeOfValue(value: Json): Type {
  if (isList(value)) return { kind: "tuple", items: value.map(typeOfValue), required: value.length, rest: undefined };
  if (isObject(value)) {
    const members = Object.entries(value).map(([name, of]) => ({ name, type: typeOfValue(of), isOptional: false, description: "" }));
    return { kind: "object", members, others: undefined };
  }
  return typeof value === "number" && !Number.isFinite(value) ? word("number") : { kind: "literal", value };
}

/** Tuples with more items become arrays. */
const mostItems = 100;

function typeOfArray(schema: SchemaObject, around: Around): Type {
  const items = member(schema, "items");
  const first = list(member(schema, "prefixItems")) ?? list(items);
  if (first === undefined || first.length > mostItems)
    return { kind: "array", of: items === undefined || isList(items) ? word("unknown") : typeOfSchema(items, around) };
  const others = isList(items) ? member(schema, "additionalItems") : items;
  const least = member(schema, "minItems");
  const required = typeof least === "number" ? Math.max(0, Math.min(Math.ceil(least), first.length)) : 0;
  return {
    kind: "tuple",
    items: first.map((each) => typeOfSchema(each, around)),
    required,
    rest: others === false ? undefined : others === undefined ? word("unknown") : typeOfSchema(others, around),
  };
}

function typeOfObject(schema: SchemaObject, around: Around): Type {
  const properties = member(schema, "properties");
  const required = new Set((list(member(schema, "required")) ?? []).filter((name) => typeof name === "string"));
  const listed = isObject(properties) ? Object.entries(properties) : [];
  const members: Member[] = listed.map(([name, each]) => ({
    name,
    type: typeOfSchema(each, around),
    isOptional: !required.has(name),
    description: descriptionOf(each),
  }));
  const known = new Set(members.map(({ name }) => name));
  for (const name of required)
    if (!known.has(name)) members.push({ name, type: requiredOnly(name, schema, around), isOptional: false, description: "" });
  return { kind: "object", members, others: typeOfOthers(schema, members, around) };
}

/** Returns the type of a required property that is not declared: only keywords for all other properties apply to it. */
function requiredOnly(name: string, schema: SchemaObject, around: Around): Type {
  const patterns = member(schema, "patternProperties");
  const others = member(schema, "additionalProperties");
  return isObject(patterns) || others === undefined || name === "" ? word("unknown") : typeOfSchema(others, around);
}

/**
 * Returns the type of undeclared properties. If the schema does not mention them they are allowed, but the type has none, so that
 * misspelt names are errors.
 */
function typeOfOthers(schema: SchemaObject, members: readonly Member[], around: Around): Type | undefined {
  const patterns = member(schema, "patternProperties");
  const patterned = isObject(patterns) ? Object.values(patterns) : [];
  const additional = member(schema, "additionalProperties") ?? member(schema, "unevaluatedProperties");
  if (additional === undefined && patterned.length === 0) return members.length === 0 ? word("unknown") : undefined;
  if (additional === false && patterned.length === 0) return undefined;
  const others = additional === false ? [] : [additional === undefined ? word("unknown") : typeOfSchema(additional, around)];
  // An index signature must include the types of all properties.
  const all = union([...members.map(({ type }) => type), ...patterned.map((each) => typeOfSchema(each, around)), ...others]);
  return members.some(({ isOptional }) => isOptional) ? union([all, word("undefined")]) : all;
}

/** Returns the author's description of a schema, or "". */
export function descriptionOf(schema: Json): string {
  if (!isObject(schema)) return "";
  const words = member(schema, "description") ?? member(schema, "title");
  return typeof words === "string" ? words : "";
}
