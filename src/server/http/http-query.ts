/** Converts the query of a URL into the JSON of a request message, guided by the message's descriptor. */
import { ScalarType, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { AuthzAdminService, AuthzService } from "../../../proto/gen/authz/svc/v1/svc_pb.js";
import { invariant } from "../../../runtime/cel/error.ts";
import type { UnaryMethod } from "../calls/call.ts";

type Json = { [name: string]: unknown };

/** Returns the request message type of a call. */
export function requestTypeOf(call: UnaryMethod): DescMessage {
  const method = [...AuthzService.methods, ...AuthzAdminService.methods].find(({ name }) => name === call);
  invariant(method !== undefined, "every call is declared in proto/");
  return method.input;
}

/**
 * Converts parameters to the JSON of a request. Names may be spelled in either form, fields of nested messages are joined by dots, list
 * items are repeated parameters, and unknown names are ignored. A value of the wrong type is copied as it is: the parser of the request
 * refuses it later, after credentials have been checked.
 */
export function queryText(message: DescMessage, parameters: Iterable<readonly [name: string, value: string]>): string {
  const json: Json = {};
  for (const [name, value] of parameters) put(json, message, name.split("."), value);
  return JSON.stringify(json);
}

function put(json: Json, message: DescMessage, [name = "", ...rest]: readonly string[], value: string): void {
  const field = message.fields.find((each) => each.jsonName === name || each.name === name);
  if (field === undefined) return;
  if (rest.length > 0) {
    if (field.fieldKind !== "message" || isText(field.message)) return;
    const inner = json[field.jsonName] ?? {};
    json[field.jsonName] = inner;
    if (isJson(inner)) put(inner, field.message, rest, value);
    return;
  }
  const read = valueOf(field, value);
  const before = json[field.jsonName];
  // A singular field that is given twice becomes a list, which the parser of the request refuses.
  if (field.fieldKind !== "list" && before === undefined) json[field.jsonName] = read;
  else json[field.jsonName] = [...(Array.isArray(before) ? before : before === undefined ? [] : [before]), read];
}

/** Converts booleans and enum numbers, which JSON does not write as strings. Other numbers may be strings in proto3 JSON. */
function valueOf(field: DescField, value: string): unknown {
  if (field.scalar === ScalarType.BOOL && value in booleans) return booleans[value];
  if (field.enum !== undefined && /^-?\d{1,9}$/.test(value)) return Number(value);
  return value;
}

/** The spellings of booleans that Go accepts, and with it the reference (wire 2.2). */
const booleans: { readonly [text: string]: boolean } = Object.assign(
  Object.create(null),
  Object.fromEntries(["true", "True", "TRUE", "t", "T", "1"].map((text) => [text, true])),
  Object.fromEntries(["false", "False", "FALSE", "f", "F", "0"].map((text) => [text, false])),
);

/** Returns whether the JSON of a message type is a string: it is then given in a query like a scalar. */
export const isText = ({ typeName }: DescMessage): boolean =>
  typeName === "google.protobuf.Timestamp" || typeName === "google.protobuf.Duration";

const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);
