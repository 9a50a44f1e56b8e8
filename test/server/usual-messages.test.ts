/** What reads and writes messages byte by byte gives what protobuf-es gives, or leaves the message to it. */
import { fromJson, toBinary } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  CheckResourceBatchRequestSchema,
  CheckResourcesRequestSchema,
  CheckResourceSetRequestSchema,
} from "../../proto/gen/authz/request/v1/request_pb.js";
import {
  CheckResourceBatchResponseSchema,
  CheckResourcesResponseSchema,
  CheckResourceSetResponseSchema,
} from "../../proto/gen/authz/response/v1/response_pb.js";
import { jsonToMessage } from "../../src/server/calls/json-to-message.ts";
import { messageToJson } from "../../src/server/calls/message-to-json.ts";
import { damaged, delimited, encode, frame, messageBytes, slowBytes, slowJson } from "./random-messages.ts";

const requests = [CheckResourcesRequestSchema, CheckResourceSetRequestSchema, CheckResourceBatchRequestSchema];
const replies = [CheckResourcesResponseSchema, CheckResourceSetResponseSchema, CheckResourceBatchResponseSchema];

test.each(requests)("$typeName: bytes are read as protobuf-es reads them, or left to it", (schema) => {
  let read = 0;
  fc.assert(
    fc.property(damaged(fc.oneof(messageBytes(schema, 0, { odd: true }), messageBytes(schema, 0, { odd: false }))), (bytes) => {
      const json = messageToJson(schema, bytes);
      if (json === undefined) return;
      read++;
      expect(json).toBe(slowJson(schema, bytes));
    }),
    { numRuns: 2_000 },
  );
  expect(read).toBeGreaterThan(100);
});

/** Our writers promise to give no name twice; a text with a character less may break that. */
function givesNamesTwice(json: string): boolean {
  try {
    return JSON.stringify(JSON.parse(json)).length < json.length;
  } catch {
    return false;
  }
}

test.each(replies)("$typeName: text is written as protobuf-es writes it, or left to it", (schema) => {
  let written = 0;
  fc.assert(
    fc.property(messageBytes(schema, 0, { odd: false }), fc.nat(), fc.boolean(), (bytes, where, cut) => {
      const whole = slowJson(schema, bytes);
      if (whole === undefined) return; // bytes that are no text
      const json = cut ? whole.slice(0, where % whole.length) + whole.slice((where % whole.length) + 1) : whole;
      const message = jsonToMessage(schema, json);
      if (message === undefined || (cut && givesNamesTwice(json))) return;
      written++;
      expect(message.toString("hex")).toBe(slowBytes(schema, json)?.toString("hex"));
    }),
    { numRuns: 2_000 },
  );
  expect(written).toBeGreaterThan(100);
});

const value = { a: [1, "two", null, true, { b: -0.5 }], "\u00e9": "line\nbreak" };
const resource = { kind: "album", policyVersion: "v1", id: "x", attr: value, scope: "acme" };
const asked = {
  requestId: "r",
  includeMeta: true,
  principal: { id: "ann", policyVersion: "v1", roles: ["user", "clerk"], attr: value, scope: "acme" },
  resources: [
    { actions: ["view", "edit"], resource },
    { actions: ["view"], resource: { kind: "album", id: "y" } },
  ],
  auxData: { jwts: { main: { token: "t", keySetId: "k" } } },
  requestContext: { annotations: value },
};
const entry = {
  resource: { id: "x", kind: "album", policyVersion: "v1", scope: "acme" },
  actions: { view: "EFFECT_ALLOW", edit: "EFFECT_DENY" },
  validationErrors: [{ path: "/a", message: "no", source: "SOURCE_RESOURCE" }],
  meta: { actions: { view: { matchedPolicy: "resource.album.v1", matchedScope: "acme" } }, effectiveDerivedRoles: ["owner"] },
  outputs: [{ src: "resource.album.v1#rule-001", val: { a: [1, "two", null, true, { b: -0.5 }], é: "" }, action: "view" }],
};

test("nothing of a usual request is left to protobuf-es", () => {
  const bytes = toBinary(CheckResourcesRequestSchema, fromJson(CheckResourcesRequestSchema, asked));
  expect(JSON.parse(messageToJson(CheckResourcesRequestSchema, bytes) ?? "null")).toEqual(asked);
});

test("nothing of a usual reply is left to protobuf-es", () => {
  const reply = { requestId: "r", results: [entry, entry], authzCallId: "01ARZ3NDEKTSV4RRFFQ69G5FAV" };
  const bytes = jsonToMessage(CheckResourcesResponseSchema, JSON.stringify(reply));
  expect(bytes?.toString("hex")).toBe(slowBytes(CheckResourcesResponseSchema, JSON.stringify(reply))?.toString("hex"));
});

test.each([
  ["an empty message", new Uint8Array(0), "{}"],
  ["a name that is given twice", frame(delimited(3, frame(delimited(4, entryOf("a", 1)), delimited(4, entryOf("a", 2))))), undefined],
  ["names that objects put first", frame(delimited(3, delimited(4, entryOf("1", 1)))), undefined],
  [
    "a part of a message that goes on after another field",
    frame(delimited(3, new Uint8Array(0)), delimited(3, new Uint8Array(0))),
    undefined,
  ],
  ["a length that goes beyond the end", Uint8Array.of(0x0a, 0x05, 0x61), undefined],
  ["bytes that are no text", Uint8Array.of(0x0a, 0x01, 0xff), undefined],
  ["a text that ends within a character", Uint8Array.of(0x0a, 0x01, 0xc3), undefined],
  ["a group", Uint8Array.of(0x0b, 0x0c), undefined],
  ["lists deeper than usual", delimited(3, delimited(4, frame(delimited(1, encode.encode("a")), delimited(2, nested(40))))), undefined],
])("%s", (_, bytes, json) => {
  expect(messageToJson(CheckResourcesRequestSchema, bytes)).toBe(json);
});

function entryOf(name: string, number: number): Uint8Array {
  const value = new BinaryWriter().tag(2, WireType.Bit64).double(number).finish();
  return frame(delimited(1, encode.encode(name)), delimited(2, value));
}

function nested(levels: number): Uint8Array {
  let value: Uint8Array = Uint8Array.of(0x08, 0x00);
  for (let level = 0; level < levels; level++) value = delimited(6, delimited(1, value));
  return value;
}
