/** A message in which a field is written otherwise than it is declared, or goes beyond what it is a part of, is refused with its place: nobody reads another request in it. */
import { fromBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  AddOrUpdatePolicyRequestSchema,
  CheckResourcesRequestSchema,
  ListAuditLogEntriesRequestSchema,
} from "../../proto/gen/authz/request/v1/request_pb.js";
import { wireFormatErrorOf } from "../../src/server/calls/wire-format.ts";
import { messageToJson } from "../../src/server/calls/message-to-json.ts";
import { notJsonIn } from "../../src/server/calls/not-json.ts";
import { part, tag, varint } from "./protobuf.ts";
import { damaged, messageBytes } from "./random-messages.ts";

const both = (...parts: readonly Uint8Array[]): Buffer => Buffer.concat(parts);
const principal = (...parts: readonly Uint8Array[]): Buffer => part(3, both(...parts));
const resource = (...parts: readonly Uint8Array[]): Buffer => part(4, both(part(1, "view"), part(2, both(...parts))));
const attribute = (name: string, value: Uint8Array): Buffer => part(4, both(part(1, name), part(2, value)));
const number = (field: number, value: number | bigint): Buffer => both(tag(field, 0), varint(value));
const eight = Buffer.alloc(8, 1);
const four = Buffer.alloc(4, 1);

test.each<readonly [sentence: string, message: Uint8Array, fault: string]>([
  [
    "an id that is a number",
    principal(number(1, 5), Buffer.from("alice")),
    "principal.id: it must be written as a length and bytes (wire type 2), but is written as a varint (wire type 0)",
  ],
  [
    "a flag that is a text",
    part(2, "yes"),
    "includeMeta: it must be written as a varint (wire type 0), but is written as a length and bytes",
  ],
  [
    "a principal that is a group",
    both(tag(3, 3), part(1, "ann"), tag(3, 4)),
    "principal: it must be written as a length and bytes (wire type 2), but is written as a group",
  ],
  [
    "the end of a group where a text is due",
    tag(1, 4),
    "requestId: it must be written as a length and bytes (wire type 2), but is written as the end of a group",
  ],
  [
    "a scope of the second resource of four bytes",
    both(resource(part(1, "a")), resource(tag(5, 5), four)),
    "resources[1].resource.scope: it must be written",
  ],
  ["the second role a number", principal(part(3, "user"), number(3, 1)), "principal.roles[1]: it must be written"],
  ["attributes that are a number", principal(number(4, 1)), "principal.attr: it must be written"],
  ["the name of an attribute that is a number", principal(part(4, number(1, 7))), "principal.attr: it must be written"],
  [
    "the value of an attribute that is a number",
    principal(part(4, both(part(1, "a"), number(2, 7)))),
    'principal.attr["a"]: it must be written',
  ],
  [
    "a text in an attribute that is a number",
    principal(attribute("a", number(3, 0))),
    'principal.attr["a"].stringValue: it must be written',
  ],
  [
    "a number in an attribute that is a text",
    principal(attribute("a", part(2, eight))),
    'principal.attr["a"].numberValue: it must be written as 64 bits',
  ],
  [
    "an id that goes beyond the principal",
    both(tag(3, 2), varint(3), tag(1, 2), varint(20), Buffer.alloc(30, 0x61)),
    "principal.id: it is said to be 20 bytes long, but only 1 are left",
  ],
  [
    "an item of a list that goes beyond the list",
    principal(attribute("a", part(6, both(tag(1, 2), varint(9))))),
    'principal.attr["a"].listValue.values[0]: it is said to be 9 bytes long',
  ],
  [
    "an entry of a map that goes beyond the principal",
    both(principal(tag(4, 2), varint(4)), part(1, "r")),
    "principal.attr: it is said to be 4 bytes long",
  ],
  [
    "a number that goes beyond its message",
    both(principal(tag(4, 2), varint(1)), Buffer.from([0x0a])),
    "principal.attr: it is said to be 1 bytes long",
  ],
  [
    "an unknown field that goes beyond its message",
    both(principal(tag(9, 2), varint(2)), part(1, "")),
    "principal: it is said to be 2 bytes long",
  ],
  [
    "unknown eight bytes that go beyond their message",
    both(principal(tag(9, 1), four), eight),
    "principal: what begins at byte 3 ends too early",
  ],
  [
    "a length beyond 32 bits",
    both(tag(1, 2), varint(2n ** 32n + 1n), Buffer.from("r")),
    "requestId: it is said to be 4294967297 bytes long",
  ],
  [
    "a number beyond 64 bits",
    both(tag(2, 0), Buffer.alloc(9, 0xff), Buffer.from([2])),
    "includeMeta: the number at byte 1 has more than 64 bits",
  ],
  ["an unknown number without an end", both(tag(9, 0), Buffer.alloc(20, 0xff)), "the number at byte 1 has more than 64 bits"],
  ["a tag of six bytes", Buffer.from([0x8a, 0x80, 0x80, 0x80, 0x80, 0x00, 0x00]), "the tag at byte 0 has more than 5 bytes"],
  ["a field of a number that no field has", Buffer.from([0x02, 0x00]), "no field has the number 0, at byte 0"],
  ["a wire type that there is not", principal(Buffer.from([0x0f])), "principal: there is no wire type 7, at byte 2"],
  ["a group that ends as another one", both(tag(9, 3), tag(10, 4)), "a group ends that has not begun"],
  ["a group without an end", tag(9, 3), "what begins at byte 1 ends too early"],
  [
    "an entry of a map with two values",
    principal(part(4, both(part(1, "a"), part(2, number(4, 1)), part(2, "")))),
    'principal.attr["a"]: one entry of the map holds it twice',
  ],
  [
    "an entry of a map with two names",
    principal(part(4, both(part(1, "a"), part(1, "b")))),
    'principal.attr["a"]: one entry of the map holds it twice',
  ],
  ["half a character in a role", principal(part(3, Buffer.from([0xed, 0xa0, 0x80]))), "principal.roles[0]: it is not UTF-8 text"],
  [
    "half a character in the name of an attribute",
    principal(part(4, part(1, Buffer.from([0xc3])))),
    "principal.attr: it is not UTF-8 text",
  ],
  ["a message that ends within a number", Buffer.from([0x10]), "includeMeta: what begins at byte 1 ends too early"],
])("%s is told with its place", (_sentence, message, fault) => {
  expect(wireFormatErrorOf(CheckResourcesRequestSchema, message)).toContain(fault);
});

test.each<readonly [sentence: string, message: Uint8Array]>([
  ["nothing", Buffer.alloc(0)],
  [
    "fields that nobody knows, of every kind",
    both(
      number(99, 1),
      part(98, "x"),
      tag(97, 5),
      four,
      tag(96, 1),
      eight,
      tag(95, 3),
      tag(1, 0),
      varint(1),
      tag(94, 3),
      tag(94, 4),
      tag(95, 4),
    ),
  ],
  ["a message in two parts", both(principal(part(1, "ann")), principal(part(3, "user")))],
  ["lengths and tags of more bytes than they need", Buffer.from([0x8a, 0x80, 0x00, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00, 0x61])],
  ["a flag of 64 bits", number(2, 2n ** 64n - 1n)],
  ["an entry without a name or without a value", principal(part(4, part(2, part(3, "x"))), part(4, part(1, "a")), part(4, ""))],
])("%s is sound", (_sentence, message) => {
  expect(wireFormatErrorOf(CheckResourcesRequestSchema, message)).toBeUndefined();
  expect(() => fromBinary(CheckResourcesRequestSchema, message)).not.toThrow();
});

test("messages of administrators are looked at as those of checks are", () => {
  const since = part(4, number(1, 3600));
  expect(wireFormatErrorOf(ListAuditLogEntriesRequestSchema, both(number(1, 1), since))).toBeUndefined();
  expect(wireFormatErrorOf(ListAuditLogEntriesRequestSchema, both(number(1, 1), number(4, 3600)))).toContain("since: it must be written");
  const policy = part(1, part(1, "api.authz.dev/v1"));
  expect(wireFormatErrorOf(AddOrUpdatePolicyRequestSchema, policy)).toBeUndefined();
  expect(wireFormatErrorOf(AddOrUpdatePolicyRequestSchema, both(policy, part(1, number(1, 1))))).toContain(
    "policies[1].apiVersion: it must be written",
  );
});

test("what is as deep as a message may be is looked at, and what is deeper left to whoever says so", () => {
  let value: Buffer = number(1, 0);
  for (let level = 0; level < 5_000; level++)
    value = level % 2 === 0 ? part(6, part(1, value)) : part(5, part(1, both(part(1, "a"), part(2, value))));
  expect(wireFormatErrorOf(CheckResourcesRequestSchema, principal(attribute("a", value)))).toBeUndefined();
});

test("bytes without a fault are decoded, and a message that is read as usual has none", () => {
  const counted = { sound: 0, usual: 0 };
  const messages = damaged(
    fc.oneof(messageBytes(CheckResourcesRequestSchema, 0, { odd: true }), messageBytes(CheckResourcesRequestSchema, 0, { odd: false })),
  );
  fc.assert(
    fc.property(messages, (bytes) => {
      const fault = wireFormatErrorOf(CheckResourcesRequestSchema, bytes);
      if (fault === undefined) {
        counted.sound++;
        expect(() => fromBinary(CheckResourcesRequestSchema, bytes, { recursionLimit: 2_100 })).not.toThrow();
      }
      if (messageToJson(CheckResourcesRequestSchema, bytes) !== undefined) {
        counted.usual++;
        expect(fault).toBeUndefined();
      }
    }),
    { numRuns: 3_000 },
  );
  expect(Math.min(counted.sound, counted.usual)).toBeGreaterThan(100);
});

const infinity = Buffer.from("000000000000f07f", "hex");
test.each<readonly [sentence: string, value: Uint8Array, told: string | undefined]>([
  ["an attribute that is not set", Buffer.alloc(0), 'principal.attr["a b"]: it has no value'],
  ["an infinite one", both(tag(2, 1), infinity), 'principal.attr["a b"]: it is Infinity'],
  ["an item that is not set", part(6, both(part(1, number(4, 1)), part(1, ""))), 'principal.attr["a b"][1]: it has no value'],
  ["a value within an object", part(5, part(1, both(part(1, "x"), part(2, "")))), 'principal.attr["a b"]["x"]: it has no value'],
  ["null", number(1, 0), undefined],
])("%s is told by its place, where JSON cannot hold it", (_sentence, value, told) => {
  const said = notJsonIn(fromBinary(CheckResourcesRequestSchema, principal(attribute("a b", value))));
  expect(said).toEqual(told === undefined ? undefined : expect.stringContaining(told));
});
