/** Reads a protobuf message, whose bytes are the characters of a text, as clients usually write it; what is odd ends the reading. */
import { readCharacter } from "../cel/utf8.ts";
import { longestRemembered } from "../decide/router.ts";

/** What is thrown where a message is odd: it may still be sound, and is read another way. */
export const odd: unique symbol = Symbol("an odd message");

/** What a byte of a text means for whoever prints it: nothing, that JSON escapes it, that it is part of a longer character. */
const [usual, escaped, longer] = [0, 1, 2] as const;
const kindOf = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x80 ? longer : byte < 0x20 || byte === 0x22 || byte === 0x5c ? escaped : usual,
);

/** A word that comes back with request after request, and the kinds of its characters: nothing is made of it anew. */
interface Word {
  readonly text: string;
  readonly met: number;
}

/** Each where its characters say; a word takes the place of another. */
const noWord: Word = { text: "", met: usual };
const words: Word[] = Array.from({ length: 1024 }, () => noWord);
const longestWord = 32;

/** A longer piece of a text is no copy: it would keep all of the text in memory. */
const longestCopy = 12;
const double = new DataView(new ArrayBuffer(8));

/** Where the reading of one message stands. */
export class MessageReader {
  readonly #bytes: string;
  #at = 0;
  #met = usual;
  #longest = 0;

  constructor(bytes: string) {
    this.#bytes = bytes;
  }

  /** The length of the longest text so far, names of attributes left out. */
  get longestText(): number {
    return this.#longest;
  }

  /** Nothing that was read needs an escape in JSON. */
  get isPlain(): boolean {
    return (this.#met & escaped) === 0;
  }

  /** Does the part that ends there go on? */
  goesOn(end: number): boolean {
    return this.#at < end;
  }

  /**
   * Reads a tag of one byte. Fields come in the order of their numbers; only those of `lists`, a bit for each number, come
   * more than once.
   */
  tag(before: number, lists: number): number {
    const tag = this.#bytes.charCodeAt(this.#at++);
    if (tag <= before && (tag < before || ((lists >> (tag >> 3)) & 1) === 0)) throw odd;
    return tag;
  }

  /** Is this tag the next? Then it is read. */
  hasNext(tag: number, end: number): boolean {
    if (this.#at >= end || this.#bytes.charCodeAt(this.#at) !== tag) return false;
    this.#at++;
    return true;
  }

  /** Reads a length, of at most four bytes, and returns where what is so long ends: within what it is a part of. */
  end(outer: number): number {
    let byte = this.#bytes.charCodeAt(this.#at++);
    let length = byte & 0x7f;
    for (let shift = 7; byte >= 0x80; shift += 7) {
      if (shift > 21) throw odd;
      byte = this.#bytes.charCodeAt(this.#at++);
      length |= (byte & 0x7f) << shift;
    }
    const end = this.#at + length;
    // Beyond the end of the text, a character is NaN, and ends nothing.
    if (!(end <= outer)) throw odd;
    return end;
  }

  /** Reads a text that is mostly another each time. */
  text(outer: number): string {
    const end = this.end(outer);
    const from = this.#at;
    this.#at = end;
    const text = this.#made(from, end, this.#kindsIn(from, end));
    if (text.length > this.#longest) this.#longest = text.length;
    return text;
  }

  /** Reads a text that is mostly one of a few. */
  word(outer: number): string {
    const word = this.name(outer);
    if (word.length > this.#longest) this.#longest = word.length;
    return word;
  }

  /** Reads the name of an attribute. */
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

  /** Four of its characters and how many there are tell most words apart. */
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
    // Longer texts are kept by nobody.
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
      if (character === undefined) throw odd;
      text += String.fromCodePoint(character.code);
      index += character.length;
    }
    return text;
  }

  /** Reads yes or no. */
  flag(): boolean {
    const byte = this.#bytes.charCodeAt(this.#at++);
    if (!(byte <= 1)) throw odd;
    return byte === 1;
  }

  /** Reads a number that is printed by its digits: negative zero is not, and keeps its sign where messages are read more slowly. */
  number(): number {
    for (let byte = 0; byte < 8; byte++) double.setUint8(byte, this.#bytes.charCodeAt(this.#at++));
    const number = double.getFloat64(0, true);
    if (!Number.isFinite(number) || Object.is(number, -0)) throw odd;
    return number;
  }

  /** Ends a part: it must have been read exactly. */
  close(end: number): void {
    if (this.#at !== end) throw odd;
  }
}
