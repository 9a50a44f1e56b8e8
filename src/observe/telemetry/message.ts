/** Encodes protobuf messages: fields are appended to one growing buffer. */

/** A message under construction. */
export class MessageBytes {
  #bytes: Buffer;
  #end = 0;

  /** `expected` is the probable size in bytes; the buffer grows beyond it. */
  constructor(expected: number) {
    this.#bytes = Buffer.allocUnsafeSlow(expected);
  }

  /** The number of bytes so far. */
  get length(): number {
    return this.#end;
  }

  /** Returns the encoded message; nothing may be appended after that. */
  done(): Uint8Array {
    return this.#bytes.subarray(0, this.#end);
  }

  /** Begins a nested message, with room for a length of `room` bytes; pass the returned offset to `close`. */
  open(field: number, room: number): number {
    this.#tag(field, lengthDelimited);
    this.#reserve(room);
    this.#end += room;
    return this.#end;
  }

  /** Ends the nested message that begins at `start`, and writes its length. */
  close(start: number, room: number): void {
    const length = this.#end - start;
    const needed = sizeOf(length);
    if (needed !== room) {
      this.#reserve(needed - room);
      this.#bytes.copyWithin(start - room + needed, start, this.#end);
    }
    this.#end = start - room;
    this.#put(length);
    this.#end += length;
  }

  /** Appends encoded fields. */
  fields(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  text(field: number, text: string): void {
    const length = Buffer.byteLength(text);
    this.#tag(field, lengthDelimited);
    this.#varint(length);
    this.#reserve(length);
    this.#end += this.#bytes.write(text, this.#end, "utf8");
  }

  /** Appends bytes, given in hexadecimal. */
  hex(field: number, digits: string): void {
    this.#tag(field, lengthDelimited);
    this.#varint(digits.length / 2);
    this.#reserve(digits.length / 2);
    this.#end += this.#bytes.write(digits, this.#end, "hex");
  }

  /** Appends a non-negative integer. */
  number(field: number, value: number): void {
    this.#tag(field, 0);
    this.#varint(value);
  }

  fixed32(field: number, value: number): void {
    this.#tag(field, 5);
    this.#reserve(4);
    this.#end = this.#bytes.writeUInt32LE(value, this.#end);
  }

  /** Appends an instant, given in milliseconds since 1970 with fractions, in nanoseconds. */
  instant(field: number, milliseconds: number): void {
    const whole = Math.floor(milliseconds);
    // Nanoseconds exceed 53 bits, so the product is computed in two parts with a carry.
    const upper = Math.floor(whole / 2 ** 20) * 1e6;
    const lower = (whole % 2 ** 20) * 1e6 + Math.floor((milliseconds - whole) * 1e6) + (upper % 2 ** 12) * 2 ** 20;
    this.#tag(field, 1);
    this.#reserve(8);
    this.#end = this.#bytes.writeUInt32LE(lower % 2 ** 32, this.#end);
    this.#end = this.#bytes.writeUInt32LE(Math.floor(upper / 2 ** 12) + Math.floor(lower / 2 ** 32), this.#end);
  }

  #tag(field: number, wireType: number): void {
    this.#varint(field * 8 + wireType);
  }

  #varint(value: number): void {
    this.#reserve(longestVarint);
    this.#put(value);
  }

  /** Writes a varint; there must be room for it. */
  #put(value: number): void {
    let rest = value;
    while (rest > 127) {
      this.#bytes[this.#end++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#end++] = rest;
  }

  #reserve(more: number): void {
    if (this.#end + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow((this.#end + more) * 2);
    this.#bytes.copy(larger, 0, 0, this.#end);
    this.#bytes = larger;
  }
}

const lengthDelimited = 2;
const longestVarint = 10;

/** Returns the number of bytes of a varint. */
function sizeOf(value: number): number {
  let size = 1;
  for (let rest = value; rest > 127; rest = Math.floor(rest / 128)) size++;
  return size;
}
