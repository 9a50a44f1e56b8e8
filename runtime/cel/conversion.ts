/** Conversions between the scalar types. A value that does not fit is an error. */
import { asInt, asUint } from "./arithmetic.ts";
import { evalError, type EvalError } from "./error.ts";
import { parseDouble, parseInt64, parseUint64 } from "./number-text.ts";
import type { Uint } from "./value.ts";
import { decodeUtf8 } from "./utf8.ts";

const unreadable = (to: string): EvalError => evalError("invalid argument", `type conversion error from 'string' to '${to}'`);

/** `int("...")`. */
export const intFromText = (text: string): bigint | EvalError => parseInt64(text) ?? unreadable("int");
/** `uint("...")`. */
export const uintFromText = (text: string): Uint | EvalError => parseUint64(text) ?? unreadable("uint");
/** `double("...")`. */
export const doubleFromText = (text: string): number | EvalError => parseDouble(text) ?? unreadable("double");

/** `int(double)`: truncates toward zero. As in cel-go, -2^63 itself is out of range. */
export const intFromDouble = (value: number): bigint | EvalError =>
  value > -(2 ** 63) && value < 2 ** 63 ? asInt(BigInt(Math.trunc(value))) : evalError("integer overflow");

/** `uint(double)`: truncates toward zero. */
export const uintFromDouble = (value: number): Uint | EvalError =>
  value >= 0 && value < 2 ** 64 ? asUint(BigInt(Math.trunc(value))) : evalError("integer overflow", "unsigned");

const booleans: ReadonlyMap<string, boolean> = new Map([
  ["1", true],
  ["t", true],
  ["T", true],
  ["TRUE", true],
  ["true", true],
  ["True", true],
  ["0", false],
  ["f", false],
  ["F", false],
  ["FALSE", false],
  ["false", false],
  ["False", false],
]);

/** `bool("...")`: the spellings that Go accepts. */
export const boolFromText = (text: string): boolean | EvalError => booleans.get(text) ?? unreadable("bool");

/** `string(bytes)`: an error unless the bytes are valid UTF-8. */
export const textFromBytes = (bytes: Uint8Array): string | EvalError =>
  decodeUtf8(bytes) ?? evalError("invalid argument", "invalid UTF-8 in bytes, cannot convert to string");
