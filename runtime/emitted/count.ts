/** Counts as JavaScript numbers, for comparisons in generated code; NaN where the int would be an error. */
import { call } from "../cel/call.ts";
import { invariant } from "../cel/error.ts";
import { numbersInUtc } from "../cel/functions/times.ts";
import { codePointCount } from "../cel/text.ts";
import { Timestamp } from "../cel/value.ts";
import { type Result, settle } from "./access.ts";
import { atLoad } from "./load-time.ts";

/** `size(value)`, or `value.size()` with `method`, which exists for more types. NaN for an error. */
export function sizeOf(value: Result, method = false): number {
  if (Array.isArray(value)) return value.length;
  if (typeof value === "string") return codePointCount(value);
  const size = value === undefined ? undefined : settle(call("size", method, [value], atLoad.context));
  return typeof size === "bigint" ? Number(size) : Number.NaN;
}

/** The number of bits set, that is, of patterns that match. */
export function count(bits: number): number {
  let left = bits;
  let counted = 0;
  // Each iteration clears the lowest bit set.
  for (; left !== 0; left &= left - 1) counted++;
  return counted;
}

/** Returns a getter of timestamps in UTC, such as `at.getHours()`. */
export function readingOf(getter: string): (at: Result) => number {
  const read = numbersInUtc.get(getter);
  invariant(read !== undefined, "the emitter names getters of timestamps");
  return (at) => (at instanceof Timestamp ? read(at) : Number.NaN);
}
