/** What reads and writes messages byte by byte gives what protobuf-es gives, or leaves the message to it. */
import {
  createRegistry,
  fromBinary,
  fromJson,
  fromJsonString,
  ScalarType,
  toBinary,
  toJsonString,
  type DescField,
  type DescMessage,
} from "@bufbuild/protobuf";
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
import { bytesOfUsual } from "../../src/server/json-to-message.ts";
import { jsonOfUsual } from "../../src/server/message-to-json.ts";

const registry = createRegistry();

/** What protobuf-es makes of the bytes; undefined where it refuses them. */
function slowJson(schema: DescMessage, bytes: Uint8Array): string | undefined {
  try {
    return toJsonString(schema, fromBinary(schema, bytes, { readUnknownFields: false, recursionLimit: 2_100 }), { registry });
  } catch {
    return undefined;
  }
}

function slowBytes(schema: DescMessage, json: string): Buffer | undefined {
  try {
    return Buffer.from(toBinary(schema, fromJsonString(schema, json, { registry })));
  } catch {
    return undefined;
  }
}

const encode = new TextEncoder();
const frame = (...parts: readonly Uint8Array[]): Uint8Array => {
  const writer = new BinaryWriter();
  for (const part of parts) writer.raw(part);
  return writer.finish();
};
/** A number of more bytes than it needs. */
const overlong = (value: number, more: number): Uint8Array => {
  const bytes = [...new BinaryWriter().uint32(value).finish()];
  for (let byte = 0; byte < more; byte++) {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 0x80;
    bytes.push(0);
  }
  return Uint8Array.from(bytes);
};
const delimited = (number: number, content: Uint8Array): Uint8Array =>
  new BinaryWriter().tag(number, WireType.LengthDelimited).bytes(content).finish();

const words = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      "id",
      "a",
      "",
      "__proto__",
      "constructor",
      "0",
      "17",
      "07",
      "x1",
      'q"q',
      "b\\b",
      "\n",
      "\u0000",
      "é",
      "日本",
      "😀",
      "\u007f",
      "\ufeff",
      "\u2028",
      "authz-version",
    ),
  },
  { weight: 2, arbitrary: fc.string({ unit: "grapheme", maxLength: 8 }) },
  { weight: 1, arbitrary: fc.string({ minLength: 100, maxLength: 300 }) },
);
const textBytes = fc.oneof(
  { weight: 30, arbitrary: words.map((word) => encode.encode(word)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 6 }) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom([0xc3], [0x80], [0xed, 0xa0, 0x80], [0xf0, 0x9f], [0xc0, 0x80], [0xef, 0xbb, 0xbf])
      .map((bytes) => Uint8Array.from(bytes)),
  },
);

/** How often something is not as a client would write it: never, or now and then. */
interface Oddity {
  readonly odd: boolean;
}

/** One field of a message, as it stands on the wire. */
function fieldBytes(field: DescField, depth: number, how: Oddity): fc.Arbitrary<Uint8Array> {
  const many = field.fieldKind === "list" || field.fieldKind === "map";
  const one =
    field.fieldKind === "map"
      ? fc
          .tuple(textBytes, valueBytes(field, 2, depth, how), how.odd ? fc.constantFrom(0, 0, 0, 0, 1, 2, 3, 4) : fc.constant(0))
          .map(([key, value, shape]) => {
            const name = delimited(1, key);
            const parts = [[name, value], [name], [value], [value, name], [name, value, value]][shape] ?? [];
            return delimited(field.number, frame(...parts));
          })
      : valueBytes(field, field.number, depth, how);
  return many ? fc.array(one, { maxLength: 3 }).map((parts) => frame(...parts)) : one;
}

/** The value of a field, an item of a list or the value of an entry, with the number it stands under. */
function valueBytes(field: DescField, number: number, depth: number, how: Oddity): fc.Arbitrary<Uint8Array> {
  const varint = (values: fc.Arbitrary<number>): fc.Arbitrary<Uint8Array> =>
    fc
      .tuple(values, how.odd ? fc.constantFrom(0, 0, 0, 0, 0, 1, 9) : fc.constant(0))
      .map(([value, more]) => frame(new BinaryWriter().tag(number, WireType.Varint).finish(), overlong(value, more)));
  if (field.message !== undefined) {
    return messageBytes(field.message, depth + 1, how).chain((content) =>
      (how.odd ? fc.constantFrom(0, 0, 0, 0, 0, 0, 1, 2, 5) : fc.constant(0)).map((more) =>
        frame(new BinaryWriter().tag(number, WireType.LengthDelimited).finish(), overlong(content.length, more), content),
      ),
    );
  }
  if (field.enum !== undefined) return varint(how.odd ? fc.constantFrom(0, 0, 0, 1, 2, 7, 300) : fc.constant(0));
  if (field.scalar === ScalarType.BOOL) return varint(how.odd ? fc.constantFrom(0, 1, 1, 2) : fc.constantFrom(0, 1));
  if (field.scalar === ScalarType.DOUBLE) {
    const numbers = fc.oneof(
      fc.double({ noNaN: !how.odd, noDefaultInfinity: !how.odd }),
      fc.integer(),
      fc.constantFrom(0, -0, 1, 1e21, 1e-7, 2 ** 53, 5e-324, 1.5),
    );
    return numbers.map((value) => new BinaryWriter().tag(number, WireType.Bit64).double(value).finish());
  }
  return textBytes.map((bytes) => delimited(number, bytes));
}

const oddRecords = fc.oneof(
  // Fields that nobody knows, groups, fields of another wire type than their own.
  fc.tuple(fc.integer({ min: 1, max: 40 }), fc.uint8Array({ maxLength: 6 })).map(([number, bytes]) => delimited(number, bytes)),
  fc
    .tuple(fc.integer({ min: 1, max: 40 }), fc.nat())
    .map(([number, value]) => new BinaryWriter().tag(number, WireType.Varint).uint32(value).finish()),
  fc.integer({ min: 1, max: 20 }).map((number) => new BinaryWriter().tag(number, WireType.Bit32).fixed32(1).finish()),
  fc
    .tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 20 }))
    .map(([start, end]) =>
      new BinaryWriter().tag(start, WireType.StartGroup).tag(1, WireType.Varint).uint32(3).tag(end, WireType.EndGroup).finish(),
    ),
  fc.constant(Uint8Array.from([0x8a, 0x00, 0x01, 0x61])), // the tag of field 1 in two bytes
);

/** A message; with oddity its fields may stand in any order, more than once, and beside what is none of them. */
function messageBytes(schema: DescMessage, depth: number, how: Oddity): fc.Arbitrary<Uint8Array> {
  const fields = schema.fields.toSorted((a, b) => a.number - b.number);
  if (depth > 7) return fc.constant(new Uint8Array(0));
  const usual =
    schema.typeName === "google.protobuf.Value"
      ? fc
          .constantFrom(...fields.filter((field) => depth < 6 || field.message === undefined))
          .chain((field) => valueBytes(field, field.number, depth, how))
      : fc
          .tuple(...fields.map((field) => fc.option(fieldBytes(field, depth, how), { nil: new Uint8Array(0), freq: 4 })))
          .map((parts) => frame(...parts));
  if (!how.odd) return usual;
  const strange = fc
    .array(
      fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom(...fields).chain((field) => fieldBytes(field, depth, how)) },
        { weight: 1, arbitrary: oddRecords },
      ),
      { maxLength: 5 },
    )
    .map((parts) => frame(...parts));
  return fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: strange });
}

const requests = [CheckResourcesRequestSchema, CheckResourceSetRequestSchema, CheckResourceBatchRequestSchema];
const replies = [CheckResourcesResponseSchema, CheckResourceSetResponseSchema, CheckResourceBatchResponseSchema];

/** Bytes that were changed somewhere, or end too early. */
const damaged = (message: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Uint8Array> =>
  fc.tuple(message, fc.nat(), fc.nat(255), fc.constantFrom("none", "none", "change", "cut", "add")).map(([bytes, where, value, what]) => {
    const at = bytes.length === 0 ? 0 : where % bytes.length;
    if (what === "cut") return bytes.slice(0, at);
    if (what === "add") return frame(bytes.slice(0, at), Uint8Array.of(value), bytes.slice(at));
    const changed = bytes.slice();
    if (what === "change" && bytes.length > 0) changed[at] = value;
    return changed;
  });

test.each(requests)("$typeName: bytes are read as protobuf-es reads them, or left to it", (schema) => {
  let read = 0;
  fc.assert(
    fc.property(damaged(fc.oneof(messageBytes(schema, 0, { odd: true }), messageBytes(schema, 0, { odd: false }))), (bytes) => {
      const json = jsonOfUsual(schema, bytes);
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
      const message = bytesOfUsual(schema, json);
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
  expect(JSON.parse(jsonOfUsual(CheckResourcesRequestSchema, bytes) ?? "null")).toEqual(asked);
});

test("nothing of a usual reply is left to protobuf-es", () => {
  const reply = { requestId: "r", results: [entry, entry], authzCallId: "01ARZ3NDEKTSV4RRFFQ69G5FAV" };
  const bytes = bytesOfUsual(CheckResourcesResponseSchema, JSON.stringify(reply));
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
  expect(jsonOfUsual(CheckResourcesRequestSchema, bytes)).toBe(json);
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
