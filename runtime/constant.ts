/** Decodes the constants of a bundle. */
import type { ConstantValue } from "./bundle.ts";
import { longestSpread } from "./cel/text.ts";
import { Uint, type Value } from "./cel/value.ts";

/** Returns the value of a constant, frozen if it is an object. */
export function readConstant(constant: ConstantValue): Value {
  if (constant === null || typeof constant !== "object") return constant;
  if (isList(constant)) return Object.freeze(constant.map(readConstant));
  if ("int" in constant) return BigInt(constant.int);
  if ("uint" in constant) return new Uint(BigInt(constant.uint));
  if ("bytes" in constant) return readBytes(constant.bytes);
  if ("double" in constant) return Number(constant.double);
  const object: { [key: string]: Value } = Object.create(null);
  for (const [key, value] of constant.object) object[key] = readConstant(value);
  return Object.freeze(object);
}

const isList = (constant: ConstantValue): constant is readonly ConstantValue[] => Array.isArray(constant);

/**
 * Length in UTF-16 units of the longest string among constants, keys included. For a list also an upper bound of what
 * one lookup in it compares.
 */
export function longestTextOf(constant: ConstantValue): number {
  if (typeof constant === "string") return constant.length;
  if (constant === null || typeof constant !== "object") return 0;
  let longest = 0;
  if (isList(constant)) {
    for (const element of constant) longest = Math.max(longest, longestTextOf(element));
    return Math.max(longest, meetingIn(constant));
  }
  if ("object" in constant) for (const entry of constant.object) longest = Math.max(longest, longestTextOf(entry));
  return longest;
}

/** The total length of the strings of a list that V8 cannot distinguish by hash, so that a lookup compares them. */
const meetingIn = (list: readonly ConstantValue[]): number =>
  list.reduce<number>((sum, element) => sum + (typeof element === "string" && element.length > longestSpread ? element.length : 0), 0);

/** Decodes two hexadecimal digits a byte. */
function readBytes(hex: string): Uint8Array {
  const bytes = new Uint8Array(hex.length / 2);
  for (let at = 0; at < bytes.length; at++) bytes[at] = Number.parseInt(hex.slice(at * 2, at * 2 + 2), 16);
  return bytes;
}
