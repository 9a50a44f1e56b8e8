/** Timestamp arithmetic within the years 1 to 9999. */
import { makeDuration, negateDuration, nanosOfSecond } from "./duration.ts";
import { evalError, type EvalError } from "./error.ts";
import { Duration, type Offset, Timestamp } from "./value.ts";

/** Seconds in a day; CEL has no leap seconds. */
export const secondsOfDay = 86_400;
const first = -62_135_596_800; // 0001-01-01T00:00:00Z
const last = 253_402_300_799; // 9999-12-31T23:59:59Z

// 2 ** 63 nanoseconds are 9223372036.85 seconds.
const longestWhole = 9_223_372_036;
const overflow = /* @__PURE__ */ evalError("integer overflow");
const outOfRange = /* @__PURE__ */ evalError("out of range", "timestamp overflow");

/** Builds a timestamp; an error outside the years 1 to 9999. */
export const makeTimestamp = (seconds: number, nanos: number, offsetMinutes: Offset = 0): Timestamp | EvalError =>
  seconds >= first && seconds <= last ? new Timestamp(seconds, nanos, offsetMinutes) : outOfRange;

/** Adds a duration to a timestamp; the zone stays. */
export function later(from: Timestamp, span: Duration): Timestamp | EvalError {
  const nanos = from.nanos + span.nanos;
  const carry = nanos >= nanosOfSecond ? 1 : 0;
  return makeTimestamp(from.seconds + span.seconds + carry, nanos - carry * nanosOfSecond, from.offsetMinutes);
}

/** Subtracts a duration from a timestamp. As in cel-go, the negated duration must not overflow. */
export function earlier(from: Timestamp, span: Duration): Timestamp | EvalError {
  const opposite = negateDuration(span);
  return opposite instanceof Duration ? later(from, opposite) : opposite;
}

/**
 * Returns the duration from `from` to `to`; an overflow error beyond int64 nanoseconds (about 292 years). As in
 * cel-go, the difference of the whole seconds must fit by itself, so the largest durations are errors too.
 */
export function timeBetween(from: Timestamp, to: Timestamp): Duration | EvalError {
  const seconds = to.seconds - from.seconds;
  return Math.abs(seconds) > longestWhole ? overflow : makeDuration(seconds, to.nanos - from.nanos);
}

/** Converts milliseconds since 1970, with fractions, to a timestamp. */
export function timestampFromMilliseconds(milliseconds: number, offsetMinutes: Offset = 0): Timestamp {
  const seconds = Math.floor(milliseconds / 1000);
  const nanos = Math.min(999_999_999, Math.round((milliseconds - seconds * 1000) * 1_000_000));
  return new Timestamp(seconds, nanos, offsetMinutes);
}
