/** The fields that violations name have the numbers, names and types of the contract. */
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { PrincipalSchema, ResourceSchema } from "../../../proto/gen/authz/engine/v1/engine_pb.js";
import {
  AuxData_JWTSchema,
  AuxDataSchema,
  CheckResourceBatchRequest_BatchEntrySchema,
  CheckResourceBatchRequestSchema,
  CheckResourceSetRequestSchema,
  CheckResourcesRequest_ResourceEntrySchema,
  CheckResourcesRequestSchema,
  ResourceSetSchema,
} from "../../../proto/gen/authz/request/v1/request_pb.js";
import { RequestContextSchema } from "../../../proto/gen/authz/audit/v1/audit_pb.js";
import { fields, type Field } from "../../../runtime/wire/field.ts";

const types: { readonly [kind: string]: Field["fieldType"] } = { message: "TYPE_MESSAGE", scalar: "TYPE_STRING" };

/** A field as the contract declares it. */
function declared(field: DescField): Field {
  const { number: fieldNumber, name: fieldName } = field;
  if (field.fieldKind === "map")
    return { fieldNumber, fieldName, fieldType: "TYPE_MESSAGE", keyType: "TYPE_STRING", valueType: "TYPE_MESSAGE" };
  const fieldType = types[field.fieldKind === "list" ? field.listKind : field.fieldKind];
  if (fieldType === undefined) throw new Error(`${field.toString()} is of another kind`);
  return { fieldNumber, fieldName, fieldType };
}

const messages: readonly (readonly [name: keyof typeof fields, message: DescMessage])[] = [
  ["request", CheckResourcesRequestSchema],
  ["setRequest", CheckResourceSetRequestSchema],
  ["batchRequest", CheckResourceBatchRequestSchema],
  ["principal", PrincipalSchema],
  ["entry", CheckResourcesRequest_ResourceEntrySchema],
  ["entry", CheckResourceBatchRequest_BatchEntrySchema],
  ["resource", ResourceSchema],
  ["resourceSet", ResourceSetSchema],
  ["auxData", AuxDataSchema],
  ["jwt", AuxData_JWTSchema],
  ["requestContext", RequestContextSchema],
];

describe("as the contract has them", () => {
  test("every message has a row", () => {
    expect(new Set(messages.map(([name]) => name))).toEqual(new Set(Object.keys(fields)));
  });

  test.each(
    messages.flatMap(([name, message]) =>
      Object.entries(fields[name]).map(([field, ours]) => [message.name, field, ours, message] as const),
    ),
  )("%s.%s", (_message, name, ours, message) => {
    const field = message.fields.find(({ localName }) => localName === name);
    expect(field && declared(field)).toEqual(ours);
  });

  test.each(messages)("%s is in the order of its declaration", (name, message) => {
    const order = message.fields.map(({ localName }) => localName).filter((field) => Object.hasOwn(fields[name], field));
    expect(Object.keys(fields[name])).toEqual(order);
  });
});
