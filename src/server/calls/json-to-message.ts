/** The fast encoder of responses: JSON as our own writers print it -> the bytes of the protobuf message; anything unusual is left to protobuf-es. */
import type { DescMessage } from "@bufbuild/protobuf";
import { layoutOf, type Choice, type ContentLayout, type FieldLayout, type MessageLayout } from "./message-layout.ts";

/** Buffers for the input as UTF-8 and for the encoded message; whatever does not fit is left to protobuf-es. */
const text = Buffer.allocUnsafeSlow(2 ** 18);
const out = Buffer.allocUnsafeSlow(2 ** 18);

/** A lone surrogate. */
const halfPair = /[\ud800-\udfff]/u;

/** The deepest nesting of lists and objects that is encoded here. */
const maxDepth = 32;

const [quote, comma, colon, backslash, zero, nine] = [0x22, 0x2c, 0x3a, 0x5c, 0x30, 0x39] as const;
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d] as const;

/** Tags of google.protobuf.Value, of the only field of ListValue and of Struct, and of the two fields of a map entry. */
const [nullTag, numberTag, textTag, flagTag, structTag, listTag] = [0x08, 0x11, 0x1a, 0x20, 0x2a, 0x32] as const;
const [itemTag, keyTag, valueTag, enumValueTag] = [0x0a, 0x0a, 0x12, 0x10] as const;

const [nullText, trueText, falseText] = [Buffer.from("null"), Buffer.from("true"), Buffer.from("false")] as const;
const double = new DataView(new ArrayBuffer(8));

// One message is encoded at a time, synchronously, so that the positions can be module variables instead of an object per call.
let at = 0;
let to = 0;
let end = 0;

/**
 * Returns the encoded message, byte for byte what protobuf-es would write. Returns undefined for JSON that is not in the usual form:
 * with white space, escapes, fields out of the order of their numbers or under their proto names, map keys that begin with a digit, or
 * JSON that does not fit the message. The caller guarantees that no map has the same key twice.
 */
export function jsonToMessage(schema: DescMessage, json: string): Buffer | undefined {
  // A UTF-16 unit takes up to three bytes in UTF-8.
  if (json.length * 3 > text.length) return undefined;
  end = text.write(json, "utf8");
  // The UTF-8 encoder replaces a lone surrogate by another character.
  if (end > json.length && halfPair.test(json)) return undefined;
  at = to = 0;
  // A sentinel behind the end: no JSON contains a zero byte.
  text[end] = 0;
  if (!writeMessage(layoutOf(schema)) || at !== end || to > out.length) return undefined;
  return Buffer.from(out.subarray(0, to));
}

function writeMessage(layout: MessageLayout): boolean {
  if (text[at++] !== openObject) return false;
  if (text[at] === closeObject) return skip();
  for (let number = 1; ; number++) {
    let field = layout[number];
    while (field === undefined || !isNext(field.name)) {
      if (++number >= layout.length) return false;
      field = layout[number];
    }
    if (!(field.many === "one" ? writeField(field.tag, field.content) : writeMany(field))) return false;
    if (text[at] === closeObject) return skip();
    if (text[at++] !== comma) return false;
  }
}

const skip = (): true => {
  at++;
  return true;
};

/** Consumes a word if it stands at the current position, and returns whether it did. */
function isNext(word: Uint8Array): boolean {
  for (let index = 0; index < word.length; index++) if (text[at + index] !== word[index]) return false;
  at += word.length;
  return true;
}

/** Writes a singular field. Empty strings, false and enum value 0 are not written, as in proto3. */
function writeField(tag: number, content: ContentLayout): boolean {
  const before = to;
  out[to++] = tag;
  switch (content.kind) {
    case "text": {
      if (!writeText()) return false;
      if (out[before + 1] === 0) to = before;
      return true;
    }
    case "flag":
      out[to++] = 1;
      if (isNext(trueText)) return true;
      to = before;
      return isNext(falseText);
    case "enum": {
      const number = enumNumber(content.choices);
      if (number === 0) to = before;
      else out[to++] = number;
      return number >= 0;
    }
    default:
      return writeFramed(content);
  }
}

/** Writes a length-delimited value with its length before it. */
function writeFramed(content: ContentLayout, depth = 0): boolean {
  const start = to++;
  const done =
    content.kind === "message"
      ? writeMessage(content.message())
      : content.kind === "text"
        ? false
        : content.kind === "value" && writeValue(depth);
  if (done) frame(start);
  return done;
}

/** Fills in the length of what was written since `start`, where one byte was reserved for it; a longer length moves what follows. */
function frame(start: number): void {
  const length = to - start - 1;
  if (length < 0x80) {
    out[start] = length;
    return;
  }
  const more = length < 0x4000 ? 1 : length < 0x200000 ? 2 : 3;
  out.copyWithin(start + 1 + more, start + 1, to);
  to += more;
  let rest = length;
  let byte = start;
  for (; rest >= 0x80; rest >>>= 7) out[byte++] = (rest & 0x7f) | 0x80;
  out[byte] = rest;
}

function writeMany({ tag, many, content }: FieldLayout): boolean {
  if (many === "map") return writeMap(tag, content, 0);
  if (text[at++] !== openList) return false;
  if (text[at] === closeList) return skip();
  for (;;) {
    out[to++] = tag;
    if (!(content.kind === "text" ? writeText() : writeFramed(content))) return false;
    if (text[at] === closeList) return skip();
    if (text[at++] !== comma) return false;
  }
}

function writeMap(tag: number, content: ContentLayout, depth: number): boolean {
  if (text[at++] !== openObject) return false;
  if (text[at] === closeObject) return skip();
  for (;;) {
    out[to++] = tag;
    const start = to++;
    out[to++] = keyTag;
    const first = text[at + 1] ?? 0;
    if (first >= zero && first <= nine) return false;
    if (!writeText() || text[at++] !== colon || !writeMapValue(content, depth)) return false;
    frame(start);
    if (text[at] === closeObject) return skip();
    if (text[at++] !== comma) return false;
  }
}

function writeMapValue(content: ContentLayout, depth: number): boolean {
  if (content.kind === "enum") {
    const number = enumNumber(content.choices);
    out[to++] = enumValueTag;
    out[to++] = number;
    return number >= 0;
  }
  out[to++] = valueTag;
  return content.kind !== "flag" && (content.kind === "text" ? writeText() : writeFramed(content, depth));
}

/** Writes a string with its length before it. */
function writeText(): boolean {
  if (text[at++] !== quote) return false;
  const start = to++;
  for (;;) {
    const byte = text[at++] ?? 0;
    if (byte === quote) break;
    if (byte === backslash || at > end) return false;
    out[to++] = byte;
  }
  frame(start);
  return true;
}

/** Reads the name of an enum value and returns its number, or -1 when there is no such name. */
function enumNumber(choices: readonly Choice[]): number {
  for (const { name, number } of choices) if (isNext(name)) return number;
  return -1;
}

/** Writes a google.protobuf.Value. */
function writeValue(depth: number): boolean {
  switch (text[at]) {
    case quote:
      out[to++] = textTag;
      return writeText();
    case openObject:
    case openList: {
      if (depth === maxDepth) return false;
      const isList = text[at] === openList;
      out[to++] = isList ? listTag : structTag;
      const start = to++;
      if (!(isList ? writeItems(depth + 1) : writeMap(itemTag, freeValue, depth + 1))) return false;
      frame(start);
      return true;
    }
    default:
      return writePlainValue();
  }
}

const freeValue: ContentLayout = { kind: "value" };

function writeItems(depth: number): boolean {
  if (text[++at] === closeList) return skip();
  for (;;) {
    out[to++] = itemTag;
    if (!writeFramed(freeValue, depth)) return false;
    if (text[at] === closeList) return skip();
    if (text[at++] !== comma) return false;
  }
}

function writePlainValue(): boolean {
  if (isNext(nullText)) {
    out[to++] = nullTag;
    out[to++] = 0;
    return true;
  }
  const isTrue = isNext(trueText);
  if (isTrue || isNext(falseText)) {
    out[to++] = flagTag;
    out[to++] = isTrue ? 1 : 0;
    return true;
  }
  const start = at;
  while (isOfNumber(text[at] ?? 0)) at++;
  const number = start === at ? NaN : Number(text.toString("latin1", start, at));
  if (!Number.isFinite(number)) return false;
  double.setFloat64(0, number, true);
  out[to++] = numberTag;
  for (let byte = 0; byte < 8; byte++) out[to++] = double.getUint8(byte);
  return true;
}

/** Returns whether a byte may occur in a JSON number: a digit, a sign, a point or an exponent letter. */
const isOfNumber = (byte: number): boolean =>
  (byte >= zero && byte <= nine) || byte === 0x2b || byte === 0x2d || byte === 0x2e || byte === 0x45 || byte === 0x65;
