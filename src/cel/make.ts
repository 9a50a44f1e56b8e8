/** Constructors for CEL values that have no JavaScript literal: unsigned integers, timestamps to the nanosecond, durations. */
import { parseDuration } from "../../runtime/cel/duration-text.ts";
import { EvalError } from "../../runtime/cel/error.ts";
import { parseTimestamp } from "../../runtime/cel/timestamp-text.ts";
import { type Duration, type Timestamp, Uint } from "../../runtime/cel/value.ts";

/** Returns the unsigned integer for a bigint or a safe integer; throws a TypeError when it is out of range. */
export function uint(value: bigint | number): Uint {
  if (typeof value === "number" && !Number.isSafeInteger(value)) throw new TypeError(`${value} is not a uint`);
  const whole = BigInt(value);
  if (whole < 0n || whole >= 2n ** 64n) throw new TypeError(`${whole} is not a uint`);
  return new Uint(whole);
}

/** Parses an RFC 3339 timestamp, as `timestamp("2024-05-01T10:00:00.5Z")` does; throws a TypeError when it is malformed. */
export const timestamp = (text: string): Timestamp => made(parseTimestamp(text));

/** Parses a duration, as `duration("1h30m")` does; throws a TypeError when it is malformed. */
export const duration = (text: string): Duration => made(parseDuration(text));

function made<T>(value: T | EvalError): T {
  if (value instanceof EvalError) throw new TypeError(value.message);
  return value;
}
