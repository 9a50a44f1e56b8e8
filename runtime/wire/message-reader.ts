/**
 * Reads a protobuf message in the encoding that clients usually produce. The bytes are the characters of a string
 * (one character, 0 to 255, a byte). At anything unusual it throws `unusual`.
 */
import { readCharacter } from "../cel/utf8.ts";
import { longestRemembered } from "../decide/router.ts";

/** Thrown when a message has an unusual encoding. It may still be valid: the caller then decodes it the general way. */
export const unusual: unique symbol = Symbol("an unusual message");

/**
 * What a byte means for JSON output: an ordinary character, one that JSON must escape, or part of a multi-byte
 * character.
 */
const [usual, escaped, longer] = [0, 1, 2] as const;
const kindOf = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x80 ? longer : byte < 0x20 || byte === 0x22 || byte === 0x5c ? escaped : usual,
);

/**
 * A short string that recurs in many requests, cached with the kinds of its characters, so that no new string is made
 * for it.
 */
interface Word {
  readonly text: string;
  /** The kinds of its characters, as bits. */
  readonly met: number;
}

/** The cache: a hash table with one string a slot; a new string replaces the one in its slot. */
const noWord: Word = { text: "", met: usual };
const words: Word[] = Array.from({ length: 1024 }, () => noWord);
const longestWord = 32;

/** V8 copies slices of up to 12 characters. A longer slice would keep the whole message in memory. */
const longestCopy = 12;
const double = new DataView(new ArrayBuffer(8));

/** Reads one message from front to back; the fields below are the position and what was seen so far. */
export class MessageReader {
  readonly #bytes: string;
  #at = 0;
  #met = usual;
  #longest = 0;

  constructor(bytes: string) {
    this.#bytes = bytes;
  }

  /** Length in UTF-16 units of the longest string read so far, names of attributes left out. */
  get longestText(): number {
    return this.#longest;
  }

  /** True while no string that was read needs an escape in JSON. */
  get isPlain(): boolean {
    return (this.#met & escaped) === 0;
  }

  /** Returns whether more bytes follow before `end`. */
  goesOn(end: number): boolean {
    return this.#at < end;
  }

  /**
   * Reads a tag of one byte. Throws `unusual` unless fields come in ascending order; only fields in `lists` (bit n: field
   * number n) may repeat.
   */
  tag(before: number, lists: number): number {
    const tag = this.#bytes.charCodeAt(this.#at++);
    if (tag <= before && (tag < before || ((lists >> (tag >> 3)) & 1) === 0)) throw unusual;
    return tag;
  }

  /** Consumes the next byte and returns true if it is this tag; otherwise consumes nothing. */
  hasNext(tag: number, end: number): boolean {
    if (this.#at >= end || this.#bytes.charCodeAt(this.#at) !== tag) return false;
    this.#at++;
    return true;
  }

  /**
   * Reads a length (a varint of at most four bytes) and returns the offset where that many bytes end. Throws `unusual` if
   * that is beyond `outer`.
   */
  end(outer: number): number {
    let byte = this.#bytes.charCodeAt(this.#at++);
    let length = byte & 0x7f;
    for (let shift = 7; byte >= 0x80; shift += 7) {
      if (shift > 21) throw unusual;
      byte = this.#bytes.charCodeAt(this.#at++);
      length |= (byte & 0x7f) << shift;
    }
    const end = this.#at + length;
    // Beyond the end of the string, charCodeAt is NaN, and every comparison with NaN is false.
    if (!(end <= outer)) throw unusual;
    return end;
  }

  /** Reads a string that is likely to differ in every request. */
  text(outer: number): string {
    const end = this.end(outer);
    const from = this.#at;
    this.#at = end;
    const text = this.#made(from, end, this.#kindsIn(from, end));
    if (text.length > this.#longest) this.#longest = text.length;
    return text;
  }

  /** Reads a string that is likely to recur, through the cache. */
  word(outer: number): string {
    const word = this.name(outer);
    if (word.length > this.#longest) this.#longest = word.length;
    return word;
  }

  /** Reads the name of an attribute, through the cache. It does not count for `longestText`. */
  name(outer: number): string {
    const end = this.end(outer);
    const from = this.#at;
    this.#at = end;
    const slot = this.#slotOf(from, end);
    const word = words[slot] ?? noWord;
    if (this.#stands(word.text, from, end)) {
      this.#met |= word.met;
      return word.text;
    }
    const met = this.#kindsIn(from, end);
    const text = this.#made(from, end, met);
    if (met < longer && end - from <= longestWord) words[slot] = { text, met };
    return text;
  }

  /** A hash of the length and four characters: enough to tell most strings apart. */
  #slotOf(from: number, end: number): number {
    const bytes = this.#bytes;
    const ends = bytes.charCodeAt(from) + bytes.charCodeAt(end - 1) * 7;
    return (ends + bytes.charCodeAt(end - 2) * 31 + bytes.charCodeAt((from + end) >> 1) * 61 + (end - from) * 127) & (words.length - 1);
  }

  #stands(word: string, from: number, end: number): boolean {
    if (word.length !== end - from) return false;
    for (let index = 0; index < word.length; index++) if (word.charCodeAt(index) !== this.#bytes.charCodeAt(from + index)) return false;
    return true;
  }

  #kindsIn(from: number, end: number): number {
    let met: number = usual;
    for (let at = from; at < end; at++) met |= kindOf[this.#bytes.charCodeAt(at)] ?? longer;
    return met;
  }

  #made(from: number, end: number, met: number): string {
    this.#met |= met;
    if (met >= longer) return this.#decoded(from, end);
    // Strings longer than `longestRemembered` are cached nowhere, so a slice does not keep the message in memory for
    // long.
    if (end - from > longestRemembered) return this.#bytes.slice(from, end);
    let text = "";
    for (let at = from; at < end; at += longestCopy) text += this.#bytes.slice(at, Math.min(at + longestCopy, end));
    return text;
  }

  #decoded(from: number, end: number): string {
    const bytes = new Uint8Array(end - from);
    for (let index = 0; index < bytes.length; index++) bytes[index] = this.#bytes.charCodeAt(from + index);
    let text = "";
    for (let index = 0; index < bytes.length;) {
      const character = readCharacter(bytes, index);
      if (character === undefined) throw unusual;
      text += String.fromCodePoint(character.code);
      index += character.length;
    }
    return text;
  }

  /** Reads a boolean; throws `unusual` unless its byte is 0 or 1. */
  flag(): boolean {
    const byte = this.#bytes.charCodeAt(this.#at++);
    if (!(byte <= 1)) throw unusual;
    return byte === 1;
  }

  /** Reads a double. Throws `unusual` for NaN, the infinities and -0: JSON.stringify would change them, the general reader does not. */
  number(): number {
    for (let byte = 0; byte < 8; byte++) double.setUint8(byte, this.#bytes.charCodeAt(this.#at++));
    const number = double.getFloat64(0, true);
    if (!Number.isFinite(number) || Object.is(number, -0)) throw unusual;
    return number;
  }

  /** Ends a nested message; throws `unusual` unless reading stopped exactly at its end. */
  close(end: number): void {
    if (this.#at !== end) throw unusual;
  }
}
