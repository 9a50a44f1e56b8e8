/** Converts the query of a URL into the JSON of a request message, guided by the message's descriptor. */
import { ScalarType, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { AuthzAdminService, AuthzService } from "../../../proto/gen/authz/svc/v1/svc_pb.js";
import { invariant } from "../../../runtime/cel/error.ts";
import type { UnaryMethod } from "../calls/call.ts";

type Json = { [name: string]: unknown };

/** Returns the message that a call is asked with. */
export function questionOf(call: UnaryMethod): DescMessage {
  const method = [...AuthzService.methods, ...AuthzAdminService.methods].find(({ name }) => name === call);
  invariant(method !== undefined, "every call is declared in proto/");
  return method.input;
}

/**
 * Turns the parameters into JSON text: names in either spelling, parts of messages with dots, values of lists repeated, unknown names ignored.
 * A value of the wrong kind stays as it is written, for whoever reads the message to refuse: credentials are looked at before that.
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
  // More than one value where one is due becomes a list as well, which no reader takes for one.
  if (field.fieldKind !== "list" && before === undefined) json[field.jsonName] = read;
  else json[field.jsonName] = [...(Array.isArray(before) ? before : before === undefined ? [] : [before]), read];
}

/** A query is text; JSON tells booleans and the numbers of enums from it. Other numbers may be text in proto3 JSON. */
function valueOf(field: DescField, value: string): unknown {
  if (field.scalar === ScalarType.BOOL && value in booleans) return booleans[value];
  if (field.enum !== undefined && /^-?\d{1,9}$/.test(value)) return Number(value);
  return value;
}

/** As Go spells booleans, and with it clients of the reference (wire 2.2). */
const booleans: { readonly [text: string]: boolean } = Object.assign(
  Object.create(null),
  Object.fromEntries(["true", "True", "TRUE", "t", "T", "1"].map((text) => [text, true])),
  Object.fromEntries(["false", "False", "FALSE", "f", "F", "0"].map((text) => [text, false])),
);

/** Is the JSON of a message a text? Then it stands in a query like any other value. */
export const isText = ({ typeName }: DescMessage): boolean =>
  typeName === "google.protobuf.Timestamp" || typeName === "google.protobuf.Duration";

const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);
