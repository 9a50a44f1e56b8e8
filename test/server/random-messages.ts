/** Random messages as they stand on the wire, as clients write them and otherwise; and what protobuf-es makes of them. */
import {
  createRegistry,
  fromBinary,
  fromJsonString,
  ScalarType,
  toBinary,
  toJsonString,
  type DescField,
  type DescMessage,
} from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import fc from "fast-check";

const registry = createRegistry();

/** What protobuf-es makes of the bytes; undefined where it refuses them. */
export function slowJson(schema: DescMessage, bytes: Uint8Array): string | undefined {
  try {
    return toJsonString(schema, fromBinary(schema, bytes, { readUnknownFields: false, recursionLimit: 2_100 }), { registry });
  } catch {
    return undefined;
  }
}

export function slowBytes(schema: DescMessage, json: string): Buffer | undefined {
  try {
    return Buffer.from(toBinary(schema, fromJsonString(schema, json, { registry })));
  } catch {
    return undefined;
  }
}

export const encode = new TextEncoder();
export const frame = (...parts: readonly Uint8Array[]): Uint8Array => {
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
export const delimited = (number: number, content: Uint8Array): Uint8Array =>
  new BinaryWriter().tag(number, WireType.LengthDelimited).bytes(content).finish();

export const words = fc.oneof(
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
export function messageBytes(schema: DescMessage, depth: number, how: Oddity): fc.Arbitrary<Uint8Array> {
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

/** Bytes that were changed somewhere, or end too early. */
export const damaged = (message: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Uint8Array> =>
  fc.tuple(message, fc.nat(), fc.nat(255), fc.constantFrom("none", "none", "change", "cut", "add")).map(([bytes, where, value, what]) => {
    const at = bytes.length === 0 ? 0 : where % bytes.length;
    if (what === "cut") return bytes.slice(0, at);
    if (what === "add") return frame(bytes.slice(0, at), Uint8Array.of(value), bytes.slice(at));
    const changed = bytes.slice();
    if (what === "change" && bytes.length > 0) changed[at] = value;
    return changed;
  });
