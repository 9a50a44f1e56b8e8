/** Duration arithmetic within int64 nanoseconds, and formatting as Go does. */
import { evalError, type EvalError } from "./error.ts";
import { plainText } from "./number-text.ts";
import { Duration } from "./value.ts";

/** Nanoseconds in a second. */
export const nanosOfSecond = 1_000_000_000;

// 2 ** 63 nanoseconds are 9223372036.854775808 seconds.
const lastSecond = 9_223_372_036;
const lastNanos = 854_775_807;
const firstNanos = nanosOfSecond - lastNanos - 1;

const overflow = /* @__PURE__ */ evalError("integer overflow");

/**
 * Builds a duration; `nanos` may be outside 0..999,999,999 by up to one second. Returns `otherwise` if the result
 * exceeds int64 nanoseconds.
 */
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

/** `-a`. The longest negative duration overflows. */
export const negateDuration = ({ seconds, nanos }: Duration): Duration | EvalError => makeDuration(0 - seconds, 0 - nanos);

/** Returns the duration in nanoseconds. */
export const totalNanos = ({ seconds, nanos }: Duration): bigint => BigInt(seconds) * 1_000_000_000n + BigInt(nanos);

/**
 * Counts whole units of `unit` seconds, truncated toward zero. As in Go, the quotient is a double first: a duration
 * just short of a whole number of units may round up.
 */
export const unitsIn = (span: Duration, unit: number): bigint => BigInt(Math.trunc(countUnits(span, unit)));

/** Counts milliseconds, truncated toward zero. */
export function millisecondsIn({ seconds, nanos }: Duration): bigint {
  const milliseconds = seconds * 1000 + Math.floor(nanos / 1_000_000);
  return BigInt(milliseconds < 0 && nanos % 1_000_000 !== 0 ? milliseconds + 1 : milliseconds);
}

/** As in Go, the whole units and the remainder are separate doubles of the same sign, then added. */
function countUnits({ seconds, nanos }: Duration, unit: number): number {
  if (seconds < 0)
    return -countUnits({ seconds: nanos === 0 ? -seconds : -seconds - 1, nanos: nanos === 0 ? 0 : nanosOfSecond - nanos }, unit);
  const whole = Math.floor(seconds / unit);
  return whole + ((seconds - whole * unit) * nanosOfSecond + nanos) / (unit * nanosOfSecond);
}

/** Formats a duration in seconds: `5400.5s`. The value is a double, as in Go. */
export const formatDuration = (span: Duration): string => `${plainText(countUnits(span, 1))}s`;
