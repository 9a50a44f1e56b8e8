/** Parses the requests about schemas: AddOrUpdateSchema, ListSchemas, GetSchema, DeleteSchema. */
import { printPlace, type Field } from "../../runtime/wire/field.ts";
import { isJsonObject, type Json } from "../../runtime/wire/json.ts";
import { inBackticks } from "../../runtime/wire/position.ts";
import { reportWrongType, readText, root, reportViolation, type Reading, type LazyPath } from "../../runtime/wire/reading.ts";
import type { SchemaText } from "../compile/commands.ts";
import { readEntries, readIds, readRequest, refuseUnknownFields, requireLength, type ParsedRequest } from "./read-request.ts";
import type { CallRequestText } from "../server/calls/call.ts";

const fields = {
  schemas: { fieldNumber: 1, fieldName: "schemas", fieldType: "TYPE_MESSAGE" },
  schemaId: { fieldNumber: 1, fieldName: "id", fieldType: "TYPE_STRING" },
  definition: { fieldNumber: 2, fieldName: "definition", fieldType: "TYPE_BYTES" },
  id: { fieldNumber: 1, fieldName: "id", fieldType: "TYPE_STRING" },
} as const satisfies { readonly [name: string]: Field };

/** Parses an AddOrUpdateSchema request. */
export const readPutSchemas = (received: CallRequestText): ParsedRequest<readonly SchemaText[]> =>
  readRequest(received, (reading, request) => {
    refuseUnknownFields(reading, root, request, ["schemas"]);
    return readEntries(reading, fields.schemas, { name: "schemas", value: request["schemas"], one: "schema" }, (schema, at) => {
      refuseUnknownFields(reading, at, schema, ["id", "definition"]);
      const id = readText(reading, at, "id", schema["id"]);
      if (id === "") reportViolation(reading, at, fields.schemaId, "id", "required", "an id is required");
      requireLength(reading, at, fields.schemaId, { name: "id", id });
      return { id, text: readDefinition(reading, at, schema["definition"]) };
    });
  });

/** Parses a ListSchemas request, which has no fields. */
export const readListSchemas = (received: CallRequestText): ParsedRequest<undefined> =>
  readRequest(received, (reading, request) => {
    refuseUnknownFields(reading, root, request, []);
    return undefined;
  });

/** Parses the ids of a GetSchema or DeleteSchema request. */
export const readSchemaIds = (received: CallRequestText): ParsedRequest<readonly string[]> =>
  readRequest(received, (reading, request) => {
    refuseUnknownFields(reading, root, request, ["id"]);
    const ids = readIds(reading, fields.id, { name: "id", value: request["id"], required: true, unique: true });
    for (const [index, id] of ids.entries()) requireLength(reading, root, fields.id, { name: "id", id, index });
    return ids;
  });

/** Reads a definition: an object, or base64 (D3). Whether it is a valid schema is checked later, with the other schemas. */
function readDefinition(reading: Reading, at: LazyPath, value: Json | undefined): string {
  if (isJsonObject(value)) return `${JSON.stringify(value, undefined, 2)}\n`;
  if (value === undefined || value === null || value === "") {
    reportViolation(reading, at, fields.definition, "definition", "required", "a definition is required");
    return "";
  }
  const bytes = typeof value === "string" ? decoded(value) : undefined;
  const text = bytes && utf8(bytes);
  if (text !== undefined) return text;
  const before = reading.formError;
  reportWrongType(reading, at, "definition", "a JSON object, or the base64 of one as UTF-8 text", value);
  const { formError } = reading;
  // Over gRPC the field is bytes, and the client never sees base64.
  if (bytes !== undefined && formError !== undefined && before === undefined)
    reading.formError = { ...formError, sentence: `${inBackticks(`${printPlace(at())}.definition`)} is not UTF-8 text` };
  return "";
}

/** Decodes base64 in either alphabet, with or without padding, as proto3 JSON accepts bytes. */
function decoded(base64: string): Buffer | undefined {
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(base64) || base64.replace(/=+$/, "").length % 4 === 1) return undefined;
  return Buffer.from(base64, "base64");
}

function utf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
