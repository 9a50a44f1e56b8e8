/** Turns message descriptors into the schemas of a Swagger 2.0 document, as proto3 JSON writes them. */
import { ScalarType, type DescEnum, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { constraints } from "./openapi-constraints.ts";

/** A schema or another part of the document: plain JSON. */
export interface SwaggerObject {
  readonly [key: string]: Swagger;
}

/** A JSON value that is only written. */
export type Swagger = string | number | boolean | readonly Swagger[] | SwaggerObject;

/** The messages with a JSON form of their own. */
const wellKnown: { readonly [name: string]: SwaggerObject } = {
  "google.protobuf.Value": { description: "any JSON value" },
  "google.protobuf.Struct": { type: "object" },
  "google.protobuf.ListValue": { type: "array", items: {} },
  "google.protobuf.Timestamp": { type: "string", format: "date-time" },
  "google.protobuf.Duration": { type: "string", description: "seconds, such as `3.5s`" },
  "google.protobuf.Any": { type: "object", properties: { "@type": { type: "string" } }, additionalProperties: {} },
  "google.protobuf.Empty": { type: "object" },
  "google.protobuf.BoolValue": { type: "boolean" },
  "google.protobuf.StringValue": { type: "string" },
  "google.protobuf.UInt64Value": { type: "string", format: "uint64" },
};

/** Returns whether a message has a JSON form of its own. */
export const isWellKnown = ({ typeName }: DescMessage): boolean => Object.hasOwn(wellKnown, typeName);

/** Fields whose JSON differs from protobuf's: a schema's definition is an object (D3). */
const special: { readonly [field: string]: SwaggerObject } = {
  "authz.schema.v1.Schema.definition": {
    type: "object",
    description: "a JSON Schema; on input, the base64 of its text is accepted too",
  },
};

const scalars: { readonly [type in ScalarType]: SwaggerObject } = {
  [ScalarType.STRING]: { type: "string" },
  [ScalarType.BOOL]: { type: "boolean" },
  [ScalarType.BYTES]: { type: "string", format: "byte" },
  [ScalarType.DOUBLE]: { type: "number", format: "double" },
  [ScalarType.FLOAT]: { type: "number", format: "float" },
  [ScalarType.INT32]: { type: "integer", format: "int32" },
  [ScalarType.SINT32]: { type: "integer", format: "int32" },
  [ScalarType.SFIXED32]: { type: "integer", format: "int32" },
  [ScalarType.UINT32]: { type: "integer", format: "int64" },
  [ScalarType.FIXED32]: { type: "integer", format: "int64" },
  [ScalarType.INT64]: { type: "string", format: "int64" },
  [ScalarType.SINT64]: { type: "string", format: "int64" },
  [ScalarType.SFIXED64]: { type: "string", format: "int64" },
  [ScalarType.UINT64]: { type: "string", format: "uint64" },
  [ScalarType.FIXED64]: { type: "string", format: "uint64" },
};

/** Returns the schema of a message or enum, in most places a reference. */
export type Refer = (type: DescMessage | DescEnum) => SwaggerObject;

/** Collects the definitions that a document refers to. */
export interface Definitions {
  /** Returns a reference to a message or enum, and collects its definition with all that it contains. */
  readonly refer: Refer;
  /** Returns the definitions collected so far, by name. */
  readonly gathered: () => SwaggerObject;
}

/** Starts an empty collection. */
export function startDefinitions(): Definitions {
  // The entry is added before its schema is made, because messages can be recursive.
  const gathered = new Map<string, SwaggerObject>();
  const refer: Refer = (type) => {
    const known = wellKnown[type.typeName];
    if (known !== undefined) return known;
    if (!gathered.has(type.typeName)) {
      gathered.set(type.typeName, {});
      gathered.set(type.typeName, type.kind === "enum" ? enumSchema(type) : messageSchema(type, refer));
    }
    return { $ref: `#/definitions/${type.typeName}` };
  };
  return {
    refer,
    gathered: () => Object.fromEntries([...gathered].toSorted(([left], [right]) => (left < right ? -1 : 1))),
  };
}

function messageSchema(message: DescMessage, refer: Refer): SwaggerObject {
  const required = message.fields.filter((field) => constraints(field).required).map(({ jsonName }) => jsonName);
  const properties = message.fields.map((field) => [field.jsonName, fieldSchema(field, refer)] as const);
  return { type: "object", ...(required.length > 0 && { required }), properties: Object.fromEntries(properties) };
}

/** Returns the schema of a field's value. */
export function fieldSchema(field: DescField, refer: Refer): SwaggerObject {
  const { list, item } = constraints(field);
  const own = special[`${field.parent.typeName}.${field.name}`];
  if (own !== undefined) return own;
  switch (field.fieldKind) {
    case "scalar":
      return { ...scalars[field.scalar], ...item };
    case "enum":
      return refer(field.enum);
    case "message":
      return refer(field.message);
    case "list":
      return { type: "array", items: { ...valueSchema(field, refer), ...item }, ...list };
    case "map":
      return { type: "object", additionalProperties: valueSchema(field, refer), ...list };
  }
}

function valueSchema(field: DescField & { fieldKind: "list" | "map" }, refer: Refer): SwaggerObject {
  if (field.message !== undefined) return refer(field.message);
  if (field.enum !== undefined) return refer(field.enum);
  return scalars[field.scalar];
}

/** Returns the schema of an enum itself, for parameters, which cannot be references. */
export function enumSchema({ values }: DescEnum): SwaggerObject {
  return { type: "string", enum: values.map(({ name }) => name) };
}
