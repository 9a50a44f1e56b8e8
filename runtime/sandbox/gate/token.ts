/** The tokeniser of programs: ASCII, double-quoted strings, the operators that the emitter prints, and nothing else. */
import { refuse, shown } from "./refusal.ts";

/** The position in a program, and the next token. */
export interface Reading {
  readonly text: string;
  /** The next token: an operator by itself, `word`, `name` (`n7`), `constant` (`k7`), `digits`, `string`, or `end`. */
  kind: string;
  /** Its start and end offset. */
  start: number;
  end: number;
  /** The number of a name or constant, or the value of digits. */
  number: number;
}

/** Opens a program at its first token. */
export function openReading(text: string): Reading {
  const reading: Reading = { text, kind: "end", start: 0, end: 0, number: 0 };
  next(reading);
  return reading;
}

/** Advances to the next token. */
export function next(reading: Reading): void {
  const start = endOfSpace(reading);
  const { text } = reading;
  reading.start = start;
  const code = text.charCodeAt(start);
  // Beyond the end `code` is NaN; beyond ASCII nothing is admitted.
  const kind = code < 128 ? kinds[code] : unknown;
  if (kind === letter) readWord(reading, code);
  else if (kind === alone) {
    reading.kind = signs[code] ?? "";
    reading.end = start + 1;
  } else if (kind === several) {
    readSign(reading, code);
  } else if (kind === digit) {
    reading.kind = "digits";
    reading.end = endOfNumber(reading, start);
    if (isWordPart(text.charCodeAt(reading.end))) refuse(text, reading.end, "a number that goes on as a word");
  } else if (kind === quote) {
    reading.kind = "string";
    reading.end = endOfString(text, start + 1);
  } else if (start >= text.length) {
    reading.kind = "end";
    reading.end = start;
  } else refuse(text, start, shown(text.charAt(start)));
}

/** Skips the white space between two tokens: one space, or a line feed where JavaScript cannot insert a semicolon. */
function endOfSpace({ text, end }: Reading): number {
  const code = text.charCodeAt(end);
  if (code !== space && code !== newLine) return end;
  if (code === newLine && lineEnds[text.charCodeAt(end - 1)] !== 1) refuse(text, end, "the end of a line in the middle of a statement");
  const after = text.charCodeAt(end + 1);
  if (after === space || after === newLine) refuse(text, end + 1, "more white space than the emitter writes");
  return end + 1;
}

const space = 0x20;
const newLine = 0x0a;
const lineEnds = new Uint8Array(128);
for (const sign of "{};,[:") lineEnds[sign.charCodeAt(0)] = 1;

// The kinds of characters that start a token.
const [unknown, letter, digit, quote, alone, several] = [0, 1, 2, 3, 4, 5];
const kinds = new Uint8Array(128);
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const digits = "0123456789";
const signs: string[] = [];
const signsFrom: string[][] = [];
for (const character of letters) kinds[character.charCodeAt(0)] = letter;
for (const character of digits) kinds[character.charCodeAt(0)] = digit;
kinds['"'.charCodeAt(0)] = quote;
for (const sign of ["(", ")", "{", "}", "[", "]", ".", ",", ";", ":", "*"]) {
  signs[sign.charCodeAt(0)] = sign;
  kinds[sign.charCodeAt(0)] = alone;
}
// For operators with the same first character, longer ones first.
for (const sign of ["===", "=>", "=", "!==", "!", "&&", "&", "||", "??", "?", "<=", "<", ">=", ">", "++", "+", "--", "-"]) {
  (signsFrom[sign.charCodeAt(0)] ??= []).push(sign);
  kinds[sign.charCodeAt(0)] = several;
}

/** Whether a character continues a word. */
export const isWordPart = (code: number): boolean => code < 128 && wordParts[code] === 1;
const wordParts = new Uint8Array(128);
for (const character of `${letters}${digits}_$`) wordParts[character.charCodeAt(0)] = 1;

function readSign(reading: Reading, first: number): void {
  const { text, start } = reading;
  for (const sign of signsFrom[first] ?? []) {
    if (sign.length > 1 && !text.startsWith(sign, start)) continue;
    reading.kind = sign;
    reading.end = start + sign.length;
    return;
  }
  refuse(text, start, shown(text.charAt(start)));
}

const [n, k] = ["n".charCodeAt(0), "k".charCodeAt(0)];

function readWord(reading: Reading, first: number): void {
  const { text, start } = reading;
  let end = start + 1;
  if ((first === n || first === k) && kinds[text.charCodeAt(end)] === digit) {
    end = endOfNumber(reading, end);
    if (!isWordPart(text.charCodeAt(end))) {
      reading.kind = first === n ? "name" : "constant";
      reading.end = end;
      return;
    }
  }
  while (isWordPart(text.charCodeAt(end))) end++;
  reading.kind = "word";
  reading.end = end;
}

/** Reads a whole number as the emitter writes it: no leading zero, at most nine digits. */
function endOfNumber(reading: Reading, from: number): number {
  const { text } = reading;
  let number = 0;
  let at = from;
  for (let code = text.charCodeAt(at); code >= 0x30 && code <= 0x39; code = text.charCodeAt(++at)) number = number * 10 + code - 0x30;
  if (at - from > maxDigits || (at - from > 1 && text.charAt(from) === "0")) refuse(text, from, "a number that the emitter does not write");
  reading.number = number;
  return at;
}

const maxDigits = 9;

/**
 * Returns the end of a string. Only the characters and escapes that the emitter writes (`compiler/emit/escape.ts`)
 * are admitted, each in its one spelling.
 */
function endOfString(text: string, from: number): number {
  for (let at = from; ;) {
    const code = text.charCodeAt(at);
    if (code < 128 && plain[code] === 1) {
      if (code === slash && opensComment(text, at + 1)) refuse(text, at, "a comment's beginning in a string");
      at++;
    } else if (code === backslash) at = endOfEscape(text, at);
    else if (text.charAt(at) === '"') return at + 1;
    else refuse(text, at, at < text.length ? `${shown(text.charAt(at))} in a string` : "a string without an end");
  }
}

const backslash = 0x5c;
const slash = 0x2f;
const escape = /\\(?:x([0-9a-f]{2})|u((?!00)[0-9a-f]{4}))/y;

function endOfEscape(text: string, at: number): number {
  escape.lastIndex = at;
  const found = escape.exec(text);
  if (found === null) return refuse(text, at, "an escape that is neither \\xNN nor \\uNNNN");
  const end = at + found[0].length;
  const code = Number.parseInt(found[1] ?? "ff", 16);
  // An escape must be necessary, so that checks on the raw text of a string cannot be evaded.
  if (plain[code] === 1 && !(code === slash && (opensComment(text, end) || text.startsWith("\\x2f", end))))
    refuse(text, at, "an escape of what need not be escaped");
  return end;
}

const opensComment = (text: string, at: number): boolean => text.charAt(at) === "/" || text.charAt(at) === "*";

/** Characters that may occur unescaped. No call of `import` or `eval` can be spelled with them. */
const plain = new Uint8Array(256);
for (const character of `${letters}${digits} _.,:;@#%&*+=?|~^$!'[]{}/-`) plain[character.charCodeAt(0)] = 1;
