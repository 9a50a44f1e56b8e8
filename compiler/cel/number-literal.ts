/** Parses number literals and checks their range. */
import { Uint } from "../../runtime/cel/value.ts";
import type { Issue } from "./issue.ts";
import type { Token } from "./token.ts";

/** Returns the value of a number token with its sign; undefined if it is out of range. */
export function numberValue({ kind, text }: Token, negative: boolean): bigint | Uint | number | undefined {
  if (kind === "double") {
    const value = Number(text);
    return Number.isFinite(value) ? (negative ? -value : value) : undefined;
  }
  // No 64-bit number has more digits, leading zeros aside; parsing a very long one would be slow.
  if (text.replace(/^(?:0x)?0*/, "").length > 20) return undefined;
  const magnitude = BigInt(text);
  if (kind === "uint") return magnitude < 2n ** 64n ? new Uint(magnitude) : undefined;
  const value = negative ? -magnitude : magnitude;
  return value >= -(2n ** 63n) && value < 2n ** 63n ? value : undefined;
}

const ranges = { int: "-9223372036854775808 to 9223372036854775807", uint: "0 to 18446744073709551615", double: "64 bits" };

/** The error for a number out of range; `start` is the offset of its sign. */
export function numberTooLarge(token: Token, start: number): Issue {
  const kind = token.kind === "double" || token.kind === "uint" ? token.kind : "int";
  return { start, end: token.end, message: `the number is out of range for ${kind}`, hint: `${kind} holds ${ranges[kind]}` };
}
