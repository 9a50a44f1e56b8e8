/** Spans of time: made within int64 nanoseconds, added, counted, and written as Go does. */
import { evalError, type EvalError } from "./error.ts";
import { plainText } from "./number-text.ts";
import { Duration } from "./value.ts";

/** Nanoseconds of a second. */
export const nanosOfSecond = 1_000_000_000;

// 2 ** 63 nanoseconds are 9223372036.854775808 seconds.
const lastSecond = 9_223_372_036;
const lastNanos = 854_775_807;
const firstNanos = nanosOfSecond - lastNanos - 1;

const overflow = /* @__PURE__ */ evalError("integer overflow");

/** Makes a span of seconds and nanoseconds, which may be outside 0..999,999,999 by one second; the error of one that int64 nanoseconds do not hold. */
export function makeDuration(seconds: number, nanos: number, otherwise: EvalError = overflow): Duration | EvalError {
  const carry = nanos >= nanosOfSecond ? 1 : nanos < 0 ? -1 : 0;
  const whole = seconds + carry;
  const rest = nanos - carry * nanosOfSecond;
  if (whole < lastSecond && whole > -lastSecond - 1) return new Duration(whole, rest);
  const held = (whole === lastSecond && rest <= lastNanos) || (whole === -lastSecond - 1 && rest >= firstNanos);
  return held ? new Duration(whole, rest) : otherwise;
}

/** `a + b`. */
export const addDurations = (left: Duration, right: Duration): Duration | EvalError =>
  makeDuration(left.seconds + right.seconds, left.nanos + right.nanos);

/** `a - b`. */
export const subtractDurations = (left: Duration, right: Duration): Duration | EvalError =>
  makeDuration(left.seconds - right.seconds, left.nanos - right.nanos);

/** `-a`: the longest span backward has no opposite. */
export const negateDuration = ({ seconds, nanos }: Duration): Duration | EvalError => makeDuration(0 - seconds, 0 - nanos);

/** Returns the span in nanoseconds. */
export const totalNanos = ({ seconds, nanos }: Duration): bigint => BigInt(seconds) * 1_000_000_000n + BigInt(nanos);

/** Counts whole units of so many seconds. As in Go the count is a double before it is cut: a span just short of many hours may count one more. */
export const unitsIn = (span: Duration, unit: number): bigint => BigInt(Math.trunc(countUnits(span, unit)));

/** Counts milliseconds, cut toward zero. */
export function millisecondsIn({ seconds, nanos }: Duration): bigint {
  const milliseconds = seconds * 1000 + Math.floor(nanos / 1_000_000);
  return BigInt(milliseconds < 0 && nanos % 1_000_000 !== 0 ? milliseconds + 1 : milliseconds);
}

/** The whole units and what is left over are doubles of their own, of one sign, as Go adds them. */
function countUnits({ seconds, nanos }: Duration, unit: number): number {
  if (seconds < 0)
    return -countUnits({ seconds: nanos === 0 ? -seconds : -seconds - 1, nanos: nanos === 0 ? 0 : nanosOfSecond - nanos }, unit);
  const whole = Math.floor(seconds / unit);
  return whole + ((seconds - whole * unit) * nanosOfSecond + nanos) / (unit * nanosOfSecond);
}

/** Writes a span as seconds: `5400.5s`. It goes through a double, as Go's does. */
export const formatDuration = (span: Duration): string => `${plainText(countUnits(span, 1))}s`;
