/** The fast decoder of requests: bytes of a protobuf message, as clients usually encode it -> its JSON; anything unusual is left to protobuf-es. */
import type { DescMessage } from "@bufbuild/protobuf";
import { layoutOf, type ContentLayout, type FieldLayout, type MessageLayout } from "./message-layout.ts";

/** The output buffer, as UTF-8; whatever does not fit is left to protobuf-es. */
const out = Buffer.allocUnsafeSlow(2 ** 18);
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The deepest nesting of lists and structs that is decoded here. */
const maxDepth = 32;
/** The most entries of a map, and the longest key in bytes, for which comparing every key with every other is cheap. */
const maxNames = 48;
const maxNameBytes = 64;

const [quote, comma, colon, backslash, zero, nine] = [0x22, 0x2c, 0x3a, 0x5c, 0x30, 0x39] as const;
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d] as const;
const [space, notAscii] = [0x20, 0x80] as const;

/** Tags of google.protobuf.Value, of the only field of ListValue and of Struct, and of the two fields of a map entry. */
const [nullTag, numberTag, textTag, flagTag, structTag, listTag] = [0x08, 0x11, 0x1a, 0x20, 0x2a, 0x32] as const;
const [itemTag, keyTag, valueTag] = [0x0a, 0x0a, 0x12] as const;

const escapes = Array.from({ length: backslash + 1 }, (_, code) => Buffer.from(JSON.stringify(String.fromCharCode(code)).slice(1, -1)));
const [nullText, trueText, falseText] = [Buffer.from("null"), Buffer.from("true"), Buffer.from("false")] as const;
const double = new DataView(new ArrayBuffer(8));

// One message is decoded at a time, synchronously, so that the positions can be module variables instead of an object per call.
let bytes: Uint8Array = out;
let at = 0;
let to = 0;
/** The bitwise OR of all bytes of strings: shows whether any of them is not ASCII. */
let seen = 0;
/** The start and end offsets of the keys of the maps that are open now. */
const names: number[] = [];

/**
 * Returns the JSON of a message, character for character what protobuf-es would print. Returns undefined for a message that is not in
 * the usual form: unknown fields, fields out of the order of their numbers or repeated, map keys that occur twice or begin with a
 * digit, varints longer than needed, values that JSON cannot hold, or malformed bytes.
 */
export function messageToJson(schema: DescMessage, message: Uint8Array): string | undefined {
  bytes = message;
  at = to = seen = 0;
  names.length = 0;
  const usual = readMessage(layoutOf(schema), message.length) && at === message.length && to <= out.length;
  bytes = out;
  if (!usual) return undefined;
  return seen < notAscii ? out.toString("latin1", 0, to) : decoded(out.subarray(0, to));
}

/**
 * Decodes UTF-8; undefined when it is invalid. It suffices to check the whole output: the bytes between strings are ASCII, so no string
 * can end within a character unnoticed.
 */
function decoded(written: Uint8Array): string | undefined {
  try {
    return decoder.decode(written);
  } catch {
    return undefined;
  }
}

function readMessage(layout: MessageLayout, end: number): boolean {
  out[to++] = openObject;
  const first = to;
  let least = 0;
  while (at < end) {
    const tag = bytes[at++] ?? 0;
    const field = layout[tag >> 3];
    if (field === undefined || tag !== field.tag || tag <= least) return false;
    least = tag;
    const before = to;
    if (to > first) out[to++] = comma;
    write(field.name);
    const named = to;
    if (!(field.many === "one" ? readContent(field.content, end) : readMany(field, end))) return false;
    // Empty strings and false are left out, as in proto3 JSON.
    if (to === named) to = before;
  }
  out[to++] = closeObject;
  return at === end;
}

function readContent(content: ContentLayout, end: number): boolean {
  if (content.kind === "flag") return readFlag();
  const stop = readEnd(end);
  if (stop < 0) return false;
  switch (content.kind) {
    case "text":
      if (stop > at) writeText(stop);
      return true;
    case "message":
      return readMessage(content.message(), stop);
    default:
      return false;
  }
}

function readFlag(): boolean {
  const flag = bytes[at++];
  if (flag === 1) write(trueText);
  return flag === 1 || flag === 0;
}

function readMany({ tag, many, content }: FieldLayout, end: number): boolean {
  if (many === "map") return readMap(tag, content, end, 0);
  out[to++] = openList;
  for (;;) {
    const stop = readEnd(end);
    if (stop < 0) return false;
    if (content.kind === "text") writeText(stop);
    else if (content.kind !== "message" || !readMessage(content.message(), stop)) return false;
    if (at >= end || bytes[at] !== tag) break;
    at++;
    out[to++] = comma;
  }
  out[to++] = closeList;
  return true;
}

function readMap(tag: number, content: ContentLayout, end: number, depth: number): boolean {
  const outer = names.length;
  out[to++] = openObject;
  for (;;) {
    const stop = readEnd(end);
    if (stop < 0 || bytes[at++] !== keyTag) return false;
    const stopOfName = readEnd(stop);
    if (stopOfName < 0 || isOddName(stopOfName, outer)) return false;
    writeText(stopOfName);
    out[to++] = colon;
    if (bytes[at++] !== valueTag || readEnd(stop) !== stop) return false;
    if (!(content.kind === "value" ? readValue(stop, depth) : content.kind === "message" && readMessage(content.message(), stop)))
      return false;
    if (at >= end || bytes[at] !== tag) break;
    at++;
    out[to++] = comma;
  }
  names.length = outer;
  out[to++] = closeObject;
  return true;
}

/**
 * Returns whether a map key must be left to protobuf-es: it is too long, occurred before in the same map, or begins with a digit,
 * because objects order integer keys first.
 */
function isOddName(stop: number, outer: number): boolean {
  const length = stop - at;
  if (length > maxNameBytes || names.length - outer >= 2 * maxNames) return true;
  const first = bytes[at] ?? 0;
  if (length > 0 && first >= zero && first <= nine) return true;
  for (let known = outer; known < names.length; known += 2) {
    const from = names[known] ?? 0;
    if ((names[known + 1] ?? 0) - from !== length) continue;
    let same = 0;
    while (same < length && bytes[from + same] === bytes[at + same]) same++;
    if (same === length) return true;
  }
  names.push(at, stop);
  return false;
}

/** Reads a google.protobuf.Value that has exactly one field. */
function readValue(stop: number, depth: number): boolean {
  const tag = at < stop ? bytes[at++] : undefined;
  switch (tag) {
    case textTag:
      if (readEnd(stop) !== stop) return false;
      writeText(stop);
      return true;
    case numberTag:
      if (at + 8 !== stop) return false;
      for (let byte = 0; byte < 8; byte++) double.setUint8(byte, bytes[at++] ?? 0);
      return writeNumber(double.getFloat64(0, true));
    case flagTag: {
      const flag = bytes[at++];
      write(flag === 1 ? trueText : falseText);
      return at === stop && (flag === 1 || flag === 0);
    }
    case nullTag:
      write(nullText);
      return bytes[at++] === 0 && at === stop;
    case structTag:
    case listTag:
      if (readEnd(stop) !== stop || depth === maxDepth) return false;
      return tag === listTag ? readItems(stop, depth + 1) : readStruct(stop, depth + 1);
    default:
      return false;
  }
}

const freeValue: ContentLayout = { kind: "value" };

function readStruct(stop: number, depth: number): boolean {
  if (at === stop) {
    out[to++] = openObject;
    out[to++] = closeObject;
    return true;
  }
  return bytes[at++] === itemTag && readMap(itemTag, freeValue, stop, depth) && at === stop;
}

function readItems(stop: number, depth: number): boolean {
  out[to++] = openList;
  for (let first = true; at < stop; first = false) {
    if (bytes[at++] !== itemTag) return false;
    if (!first) out[to++] = comma;
    const stopOfItem = readEnd(stop);
    if (stopOfItem < 0 || !readValue(stopOfItem, depth)) return false;
  }
  out[to++] = closeList;
  return true;
}

/** Reads a length of at most four bytes and returns the offset where the value ends; -1 when that is beyond the end of its parent. */
function readEnd(end: number): number {
  let byte = bytes[at++] ?? 0;
  let length = byte & 0x7f;
  for (let shift = 7; byte >= 0x80; shift += 7) {
    if (shift > 21) return -1;
    byte = bytes[at++] ?? 0;
    length |= (byte & 0x7f) << shift;
  }
  const stop = at + length;
  return stop <= end ? stop : -1;
}

function write(text: Uint8Array): void {
  for (let index = 0; index < text.length; index++) out[to++] = text[index] ?? 0;
}

function writeText(stop: number): void {
  out[to++] = quote;
  while (at < stop) {
    const byte = bytes[at++] ?? 0;
    if (byte < space || byte === quote || byte === backslash) {
      write(escapes[byte] ?? nullText);
    } else {
      seen |= byte;
      out[to++] = byte;
    }
  }
  out[to++] = quote;
}

/** Writes a number as JSON; returns false for NaN, infinities and negative zero, which `String` prints as `0`. */
function writeNumber(number: number): boolean {
  if (!Number.isFinite(number) || Object.is(number, -0)) return false;
  const text = String(number);
  for (let index = 0; index < text.length; index++) out[to++] = text.charCodeAt(index);
  return true;
}
