/** Parses durations in Go's format: `1h30m`, `-1.5s`, `0`. */
import { makeDuration, nanosOfSecond } from "./duration.ts";
import { evalError, type EvalError } from "./error.ts";
import type { Duration } from "./value.ts";

const unreadable = evalError("invalid argument", "type conversion error from 'string' to 'google.protobuf.Duration'");

/** More seconds than int64 nanoseconds can hold. */
const tooMany = 9_300_000_000;
/** Integers of up to 15 digits are exact as doubles. */
const exactDigits = 15;
/** Go ignores the digits of a fraction beyond 63 bits. */
const fractionDigits = 19;
const largestFraction = 2n ** 63n;

/**
 * Parses an optional sign and terms of a number and a unit, in time linear in the length. Returns an error for
 * invalid text and for values outside int64 nanoseconds.
 */
export function parseDuration(text: string): Duration | EvalError {
  const sign = text.charCodeAt(0);
  let at = sign === minus || sign === plus ? 1 : 0;
  if (at === text.length) return unreadable;
  if (at === text.length - 1 && text.charCodeAt(at) === zero) return makeDuration(0, 0);
  let seconds = 0;
  let nanos = 0;
  while (at < text.length) {
    const start = at;
    while (isDigit(text.charCodeAt(at))) at += 1;
    const whole = at;
    if (text.charCodeAt(at) === dot) at += 1;
    const fraction = at;
    while (isDigit(text.charCodeAt(at))) at += 1;
    if (whole === start && at === fraction) return unreadable;
    const end = at;
    while (at < text.length && !isDigit(text.charCodeAt(at)) && text.charCodeAt(at) !== dot) at += 1;
    const unit = nanosOfUnit.get(text.slice(end, at));
    if (unit === undefined) return unreadable;
    const part = end === fraction ? 0 : nanosOfFraction(text.slice(fraction, end), unit);
    const term = wholeUnits(text, start, whole, unit);
    if (term === undefined) return unreadable;
    seconds += term.seconds + Math.floor(part / nanosOfSecond);
    nanos += term.nanos + (part % nanosOfSecond);
    seconds += Math.floor(nanos / nanosOfSecond);
    nanos %= nanosOfSecond;
    if (seconds > tooMany) return unreadable;
  }
  return sign === minus ? makeDuration(0 - seconds, 0 - nanos, unreadable) : makeDuration(seconds, nanos, unreadable);
}

const minus = 45;
const plus = 43;
const dot = 46;
const zero = 48;
const isDigit = (code: number): boolean => code >= zero && code <= zero + 9;

/** A micro sign is one of two characters: U+00B5 or U+03BC. */
const nanosOfUnit: ReadonlyMap<string, number> = new Map([
  ["ns", 1],
  ["us", 1_000],
  ["\u00B5s", 1_000],
  ["\u03BCs", 1_000],
  ["ms", 1_000_000],
  ["s", nanosOfSecond],
  ["m", 60 * nanosOfSecond],
  ["h", 3600 * nanosOfSecond],
]);

/** The nanoseconds of a term's fraction, computed in double precision as in Go, so that the last nanosecond agrees. */
function nanosOfFraction(digits: string, unit: number): number {
  let kept = digits.slice(0, fractionDigits);
  if (kept.length === fractionDigits && BigInt(kept) > largestFraction) kept = kept.slice(0, -1);
  return Math.trunc(Number(kept) * (unit / 10 ** kept.length));
}

interface Term {
  readonly seconds: number;
  readonly nanos: number;
}

/** The integer part of a term; undefined if far out of range. */
function wholeUnits(text: string, start: number, end: number, unit: number): Term | undefined {
  let first = start;
  while (first < end - 1 && text.charCodeAt(first) === zero) first += 1;
  if (end - first > exactDigits) return longUnits(text.slice(first, end), unit);
  let count = 0;
  for (let i = first; i < end; i += 1) count = count * 10 + text.charCodeAt(i) - zero;
  if (unit >= nanosOfSecond) return { seconds: count * (unit / nanosOfSecond), nanos: 0 };
  const each = nanosOfSecond / unit;
  const seconds = Math.floor(count / each);
  return { seconds, nanos: (count - seconds * each) * unit };
}

function longUnits(digits: string, unit: number): Term | undefined {
  if (digits.length > fractionDigits) return undefined;
  const nanos = BigInt(digits) * BigInt(unit);
  return { seconds: Number(nanos / 1_000_000_000n), nanos: Number(nanos % 1_000_000_000n) };
}
