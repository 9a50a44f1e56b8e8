/** Reads one scalar token of JSON text (string, number, true, false, null): its end, or the error and its offset. */
import { characterAt, inBackticks } from "./position.ts";

/** An error in a JSON text: its offset, and a message without full stop. */
export interface TextProblem {
  readonly offset: number;
  readonly sentence: string;
}

/** The error that something else was expected at an offset. */
export const expected = (what: string, text: string, offset: number): TextProblem => ({
  offset,
  sentence: `expected ${what}, found ${characterAt(text, offset)}`,
});

/** Returns the offset of the next character that is not JSON white space. */
export function skipSpace(text: string, offset: number): number {
  let at = offset;
  for (;;) {
    switch (text.charCodeAt(at)) {
      case 0x20:
      case 0x0a:
      case 0x0d:
      case 0x09:
        at++;
        break;
      default:
        return at;
    }
  }
}

const backslash = 0x5c;
const quote = 0x22;
const hexadecimal = /[0-9a-fA-F]{4}/y;
const simpleEscapes = '"\\/bfnrt';

/** Returns the offset after the string that opens at `start`. Half a surrogate pair is an error, raw or escaped. */
export function endOfString(text: string, start: number): number | TextProblem {
  let at = start + 1;
  let half = -1; // offset of a high surrogate whose low half must follow; -1 if none
  for (;;) {
    const here = at;
    let unit = text.charCodeAt(at);
    if (Number.isNaN(unit)) return expected("the closing quote of a string", text, at);
    if (unit < 0x20) return { offset: at, sentence: `the control character ${characterAt(text, at)} must be escaped inside a string` };
    if (unit === quote) return half < 0 ? at + 1 : loneSurrogate(half);
    if (unit !== backslash) {
      at++;
    } else if (text[at + 1] === "u") {
      hexadecimal.lastIndex = at + 2;
      if (!hexadecimal.test(text)) return { offset: at, sentence: "expected four hexadecimal digits after \\u" };
      unit = Number.parseInt(text.slice(at + 2, at + 6), 16);
      at += 6;
    } else {
      const letter = text[at + 1];
      if (letter === undefined || !simpleEscapes.includes(letter)) return expected("an escape", text, at + 1);
      at += 2;
    }
    const low = unit >= 0xdc00 && unit <= 0xdfff;
    if (low !== half >= 0) return loneSurrogate(low ? here : half);
    half = unit >= 0xd800 && unit <= 0xdbff ? here : -1;
  }
}

const loneSurrogate = (offset: number): TextProblem => ({ offset, sentence: "half a surrogate pair is not a character" });

const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;

/** Returns the offset after a number. One outside the range of doubles is an error, because it would become Infinity. */
function endOfNumber(text: string, start: number): number | TextProblem {
  number.lastIndex = start;
  const digits = number.exec(text)?.[0];
  if (digits === undefined) return expected("a digit", text, start + 1);
  if (!Number.isFinite(Number(digits))) return { offset: start, sentence: `the number ${inBackticks(digits)} is too large` };
  return start + digits.length;
}

const words = ["true", "false", "null"] as const;

/** Returns the offset after a string, number, true, false or null. */
export function endOfScalar(text: string, start: number): number | TextProblem {
  const unit = text.charCodeAt(start);
  if (unit === quote) return endOfString(text, start);
  if (unit === 0x2d || (unit >= 0x30 && unit <= 0x39)) return endOfNumber(text, start);
  const word = words.find((candidate) => text.startsWith(candidate, start));
  return word === undefined ? expected("a value", text, start) : start + word.length;
}
