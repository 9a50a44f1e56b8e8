/** Instants: made within the years 1 to 9999, moved by spans, and read as calendar and clock. */
import { makeDuration, negateDuration, nanosOfSecond } from "./duration.ts";
import { evalError, type EvalError } from "./error.ts";
import { Duration, type Offset, Timestamp } from "./value.ts";

/** Seconds of a day: no clock of CEL knows leap seconds. */
export const secondsOfDay = 86_400;
const first = -62_135_596_800; // 0001-01-01T00:00:00Z
const last = 253_402_300_799; // 9999-12-31T23:59:59Z

// 2 ** 63 nanoseconds are 9223372036 seconds and a bit.
const longestWhole = 9_223_372_036;
const overflow = /* @__PURE__ */ evalError("integer overflow");
const outOfRange = /* @__PURE__ */ evalError("out of range", "timestamp overflow");

/** Makes an instant, or the error of one before the year 1 or after 9999. */
export const makeTimestamp = (seconds: number, nanos: number, offsetMinutes: Offset = 0): Timestamp | EvalError =>
  seconds >= first && seconds <= last ? new Timestamp(seconds, nanos, offsetMinutes) : outOfRange;

/** Returns the instant a span later (earlier, where it is negative), in the same zone. */
export function later(from: Timestamp, span: Duration): Timestamp | EvalError {
  const nanos = from.nanos + span.nanos;
  const carry = nanos >= nanosOfSecond ? 1 : 0;
  return makeTimestamp(from.seconds + span.seconds + carry, nanos - carry * nanosOfSecond, from.offsetMinutes);
}

/** Returns the instant a span earlier. As in cel-go the span's opposite must be a span. */
export function earlier(from: Timestamp, span: Duration): Timestamp | EvalError {
  const opposite = negateDuration(span);
  return opposite instanceof Duration ? later(from, opposite) : opposite;
}

/**
 * Returns the span from `from` to `to`, which int64 nanoseconds must hold: about 292 years. As in cel-go the difference of
 * the whole seconds must fit alone too, so that not every duration is the span between two instants.
 */
export function timeBetween(from: Timestamp, to: Timestamp): Duration | EvalError {
  const seconds = to.seconds - from.seconds;
  return Math.abs(seconds) > longestWhole ? overflow : makeDuration(seconds, to.nanos - from.nanos);
}

/** Makes the instant of so many milliseconds since 1970, fractions included. */
export function timestampFromMilliseconds(milliseconds: number, offsetMinutes: Offset = 0): Timestamp {
  const seconds = Math.floor(milliseconds / 1000);
  const nanos = Math.min(999_999_999, Math.round((milliseconds - seconds * 1000) * 1_000_000));
  return new Timestamp(seconds, nanos, offsetMinutes);
}
