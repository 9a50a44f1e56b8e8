/**
 * Validates the wire format of a protobuf message before it is decoded. The decoding library checks neither the wire type of a field
 * nor that a field ends within its parent message: of malformed bytes it would read other fields than were sent.
 */
import { isUtf8 } from "node:buffer";
import { ScalarType, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { WireType } from "@bufbuild/protobuf/wire";
import { deepestMessage } from "./count-fields.ts";
import { printPath, type Step } from "./message-path.ts";

/** An error and the path to it; steps are added while the search returns. */
interface FormatError {
  readonly path: Step[];
  readonly sentence: string;
}

/** Returns a sentence about what is wrong with the bytes of a message; undefined when they are valid, or nested too deep to be checked. */
export function wireFormatErrorOf(schema: DescMessage, bytes: Uint8Array): string | undefined {
  const error = new Search(bytes).message(schema, bytes.length, 0);
  if (error === undefined) return undefined;
  return error.path.length === 0 ? error.sentence : `${printPath(error.path)}: ${error.sentence}`;
}

const maxBytesOfNumber = 10;
const maxBytesOfTag = 5;
const maxFieldNumber = 2 ** 29 - 1;

class Search {
  readonly #bytes: Uint8Array;
  #at = 0;
  /** Where the length-delimited value that was read last begins. */
  #begun = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Checks a message that ends at `end`. */
  message(schema: DescMessage, end: number, depth: number): FormatError | undefined {
    if (depth > deepestMessage) return this.#pass(end);
    const items = new Map<number, number>();
    while (this.#at < end) {
      const tag = this.#tag(end);
      if (isFormatError(tag)) return tag;
      const field = fieldsOf(schema).get(tag.number);
      const error = field === undefined ? this.#unknown(tag, end) : this.#field(field, tag.wire, end, depth);
      if (error !== undefined) {
        if (field?.fieldKind === "list") error.path.unshift(items.get(tag.number) ?? 0);
        if (field !== undefined) error.path.unshift(field.jsonName);
        return error;
      }
      if (field?.fieldKind === "list") items.set(tag.number, (items.get(tag.number) ?? 0) + 1);
    }
    return undefined;
  }

  #field(field: DescField, wire: WireType, end: number, depth: number): FormatError | undefined {
    const wanted = wireTypeOf(field);
    // Repeated numbers and booleans may be packed.
    const isPacked = field.fieldKind === "list" && wire === WireType.LengthDelimited && wanted !== wire;
    if (wire !== wanted && !isPacked) return wrongWire(wanted, wire);
    if (wanted !== WireType.LengthDelimited && !isPacked) return this.#skip(wire, end);
    const inner = this.#inner(end);
    if (isFormatError(inner)) return inner;
    if (field.fieldKind === "map") return this.#entry(field, inner, depth);
    if (field.message !== undefined) return this.message(field.message, inner, depth + 1);
    if (!isPacked) return this.#text(field.scalar, inner);
    while (this.#at < inner) {
      const error = this.#skip(wanted, inner);
      if (error !== undefined) return error;
    }
    return undefined;
  }

  /** Checks a map entry: field 1 is its key, field 2 its value. */
  #entry(map: DescField & { fieldKind: "map" }, end: number, depth: number): FormatError | undefined {
    let key: string | undefined;
    const met = new Set<number>();
    while (this.#at < end) {
      const tag = this.#tag(end);
      if (isFormatError(tag)) return tag;
      let error: FormatError | undefined;
      // When an entry has two values, some decoders take the last and others merge them.
      if (met.has(tag.number)) error = errorAt("one entry of the map holds it twice");
      else if (tag.number === 1) {
        error = this.#scalar(map.mapKey, tag.wire, end);
        if (error === undefined && map.mapKey === ScalarType.STRING)
          key = Buffer.from(this.#bytes.subarray(this.#begun, this.#at)).toString();
      } else if (tag.number !== 2) error = this.#unknown(tag, end);
      else if (map.message === undefined) error = this.#scalar(map.scalar, tag.wire, end);
      else {
        const inner = tag.wire === WireType.LengthDelimited ? this.#inner(end) : wrongWire(WireType.LengthDelimited, tag.wire);
        error = isFormatError(inner) ? inner : this.message(map.message, inner, depth + 1);
      }
      if (tag.number <= 2) met.add(tag.number);
      if (error === undefined) continue;
      if (key !== undefined) error.path.unshift({ key });
      return error;
    }
    return undefined;
  }

  #scalar(scalar: ScalarType | undefined, wire: WireType, end: number): FormatError | undefined {
    const wanted = wireTypeOfScalar(scalar);
    if (wire !== wanted) return wrongWire(wanted, wire);
    if (wire !== WireType.LengthDelimited) return this.#skip(wire, end);
    const inner = this.#inner(end);
    return isFormatError(inner) ? inner : this.#text(scalar, inner);
  }

  #text(scalar: ScalarType | undefined, end: number): FormatError | undefined {
    this.#begun = this.#at;
    const isSound = scalar !== ScalarType.STRING || isUtf8(this.#bytes.subarray(this.#at, end));
    return isSound ? this.#pass(end) : errorAt("it is not UTF-8 text");
  }

  /** Reads a length and returns the offset where the value ends; an error if that is beyond the end of its parent. */
  #inner(end: number): number | FormatError {
    const length = this.#number(end);
    if (isFormatError(length)) return length;
    if (length > end - this.#at) return errorAt(`it is said to be ${length} bytes long, but only ${end - this.#at} are left`);
    return this.#at + length;
  }

  /** Checks an unknown field: it is ignored, but it must be well formed. */
  #unknown({ number, wire }: Tag, end: number): FormatError | undefined {
    if (wire !== WireType.StartGroup) return this.#skip(wire, end);
    const open = [number];
    while (open.length > 0) {
      const tag = this.#tag(end);
      if (isFormatError(tag)) return tag;
      if (tag.wire === WireType.StartGroup) open.push(tag.number);
      else if (tag.wire !== WireType.EndGroup) {
        const error = this.#skip(tag.wire, end);
        if (error !== undefined) return error;
      } else if (open.pop() !== tag.number) return errorAt(`a group ends that has not begun, at byte ${this.#at}`);
    }
    return undefined;
  }

  #skip(wire: WireType, end: number): FormatError | undefined {
    switch (wire) {
      case WireType.Varint: {
        const number = this.#number(end);
        return isFormatError(number) ? number : undefined;
      }
      case WireType.Bit64:
        return this.#pass(this.#at + 8, end);
      case WireType.Bit32:
        return this.#pass(this.#at + 4, end);
      case WireType.LengthDelimited: {
        const inner = this.#inner(end);
        return isFormatError(inner) ? inner : this.#pass(inner);
      }
      default:
        return errorAt(`a group ends that has not begun, at byte ${this.#at}`);
    }
  }

  #pass(to: number, end = to): FormatError | undefined {
    if (to > end) return this.#early();
    this.#at = to;
    return undefined;
  }

  #tag(end: number): Tag | FormatError {
    const begin = this.#at;
    const tag = this.#number(end);
    if (isFormatError(tag)) return tag;
    if (this.#at - begin > maxBytesOfTag) return errorAt(`the tag at byte ${begin} has more than ${maxBytesOfTag} bytes`);
    const number = Math.floor(tag / 8);
    const wire: WireType = tag % 8;
    if (number === 0 || number > maxFieldNumber) return errorAt(`no field has the number ${number}, at byte ${begin}`);
    if (!(wire in wireNames)) return errorAt(`there is no wire type ${wire}, at byte ${begin}`);
    return { number, wire };
  }

  /** Reads a varint of up to 64 bits; above 2^53 the lowest digits are inexact. */
  #number(end: number): number | FormatError {
    const begin = this.#at;
    let number = 0;
    for (let index = 0; index < maxBytesOfNumber; index++) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined || this.#at >= end) return this.#early();
      this.#at++;
      number += (byte & 0x7f) * 2 ** (7 * index);
      if (byte < 0x80 && (index < maxBytesOfNumber - 1 || byte <= 1)) return number;
    }
    return errorAt(`the number at byte ${begin} has more than 64 bits`);
  }

  #early(): FormatError {
    return errorAt(`what begins at byte ${this.#at} ends too early`);
  }
}

interface Tag {
  readonly number: number;
  readonly wire: WireType;
}

const errorAt = (sentence: string): FormatError => ({ path: [], sentence });
const isFormatError = (found: Tag | FormatError | number): found is FormatError => typeof found === "object" && "sentence" in found;

const wireNames: Readonly<Record<WireType, string>> = {
  [WireType.Varint]: "a varint",
  [WireType.Bit64]: "64 bits",
  [WireType.LengthDelimited]: "a length and bytes",
  [WireType.StartGroup]: "a group",
  [WireType.EndGroup]: "the end of a group",
  [WireType.Bit32]: "32 bits",
};
const wrongWire = (wanted: WireType, wire: WireType): FormatError =>
  errorAt(
    `it must be written as ${wireNames[wanted]} (wire type ${wanted}), but is written as ${wireNames[wire]} (wire type ${wire}): has the client the .proto files of this server?`,
  );

/** The wire types of scalars; a scalar that is not listed is a varint. */
const wireTypes: ReadonlyMap<ScalarType, WireType> = new Map([
  [ScalarType.STRING, WireType.LengthDelimited],
  [ScalarType.BYTES, WireType.LengthDelimited],
  [ScalarType.DOUBLE, WireType.Bit64],
  [ScalarType.FIXED64, WireType.Bit64],
  [ScalarType.SFIXED64, WireType.Bit64],
  [ScalarType.FLOAT, WireType.Bit32],
  [ScalarType.FIXED32, WireType.Bit32],
  [ScalarType.SFIXED32, WireType.Bit32],
]);

/** Returns the wire type of a scalar; `undefined` stands for an enum, which is a varint. */
const wireTypeOfScalar = (scalar: ScalarType | undefined): WireType =>
  scalar === undefined ? WireType.Varint : (wireTypes.get(scalar) ?? WireType.Varint);

/** Returns the wire type of a field, or of one item when it is repeated. */
const wireTypeOf = (field: DescField): WireType =>
  field.fieldKind === "map" || field.message !== undefined ? WireType.LengthDelimited : wireTypeOfScalar(field.scalar);

const known = new WeakMap<DescMessage, ReadonlyMap<number, DescField>>();

function fieldsOf(schema: DescMessage): ReadonlyMap<number, DescField> {
  let fields = known.get(schema);
  if (fields === undefined) known.set(schema, (fields = new Map(schema.fields.map((field) => [field.number, field]))));
  return fields;
}
