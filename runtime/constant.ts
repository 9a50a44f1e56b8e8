/** Decodes the constants of a bundle: values that JSON has no form for are wrapped in an object. */
import type { ConstantValue } from "./bundle.ts";
import { longestSpread } from "./cel/text.ts";
import { Uint, type Value } from "./cel/value.ts";

/** Returns the value that a constant stands for, frozen where it could be changed. */
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

/** How long the longest text is among constants, names included; what is looked up in a list may be compared with all of it. */
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

/** How much text is compared when texts of a list meet in a set: those that the engine does not tell apart without comparing them. */
const meetingIn = (list: readonly ConstantValue[]): number =>
  list.reduce<number>((sum, element) => sum + (typeof element === "string" && element.length > longestSpread ? element.length : 0), 0);

/** Bytes come as two hexadecimal digits each. */
function readBytes(hex: string): Uint8Array {
  const bytes = new Uint8Array(hex.length / 2);
  for (let at = 0; at < bytes.length; at++) bytes[at] = Number.parseInt(hex.slice(at * 2, at * 2 + 2), 16);
  return bytes;
}
