/** Parses and prints timestamps in RFC 3339 format. */
import { dateFromDays, daysFromDate, daysInMonth, daysOfUsualDate } from "./calendar.ts";
import { evalError, type EvalError } from "./error.ts";
import { makeTimestamp, secondsOfDay } from "./timestamp.ts";
import type { Offset, Timestamp } from "./value.ts";
import { work } from "./work.ts";

const unreadable = evalError("invalid argument", "type conversion error from 'string' to 'google.protobuf.Timestamp'");

const zero = 48;
const colon = 58;
const hyphen = 45;
const plus = 43;
const point = 46;
const comma = 44;
const capitalZ = 90;
const capitalT = 84;

const isDigit = (code: number): boolean => code >= zero && code <= zero + 9;

/**
 * Parses two digits. If they are none, returns a number so negative that every sum with it stays negative. Not NaN,
 * because V8 would then compute all sums as doubles.
 */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at);
  const ones = text.charCodeAt(at + 1);
  return isDigit(tens) && isDigit(ones) ? (tens - zero) * 10 + (ones - zero) : noDigits;
}

const noDigits = -1_000_000;

/** Fast path for the usual format: two-digit hour, at most nine fraction digits. Undefined for any other text. */
function readUsual(text: string): Timestamp | EvalError | undefined {
  if (text.length < 20 || !isPunctuated(text, 0)) return undefined;
  const [y1, y2, y3, y4] = [text.charCodeAt(0) - zero, text.charCodeAt(1) - zero, text.charCodeAt(2) - zero, text.charCodeAt(3) - zero];
  const [m1, m2, d1, d2] = [text.charCodeAt(5) - zero, text.charCodeAt(6) - zero, text.charCodeAt(8) - zero, text.charCodeAt(9) - zero];
  const [h1, h2, n1, n2] = [text.charCodeAt(11) - zero, text.charCodeAt(12) - zero, text.charCodeAt(14) - zero, text.charCodeAt(15) - zero];
  const [s1, s2] = [text.charCodeAt(17) - zero, text.charCodeAt(18) - zero];
  // A value is a digit 0..9 if and only if neither it nor it plus 6 has a bit above the lowest four.
  const digits = y1 | y2 | y3 | y4 | m1 | m2 | d1 | d2 | h1 | h2 | n1 | n2 | s1 | s2;
  const sixMore = (y1 + 6) | (y2 + 6) | (y3 + 6) | (y4 + 6) | (m1 + 6) | (m2 + 6) | (d1 + 6) | (d2 + 6);
  const sixMoreOfTime = (h1 + 6) | (h2 + 6) | (n1 + 6) | (n2 + 6) | (s1 + 6) | (s2 + 6);
  if (((digits | sixMore | sixMoreOfTime) & ~15) !== 0) return undefined;
  const year = y1 * 1000 + y2 * 100 + y3 * 10 + y4;
  const month = m1 * 10 + m2;
  const day = d1 * 10 + d2;
  const hour = h1 * 10 + h2;
  const minute = n1 * 10 + n2;
  const second = s1 * 10 + s2;
  if (year === 0 || month === 0 || month > 12 || day === 0 || (day > 28 && day > daysInMonth(year, month))) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  let at = 19;
  let nanos = 0;
  if (text.charCodeAt(at) === point) {
    for (at = 20; at < 29 && isDigit(text.charCodeAt(at)); at++) nanos = nanos * 10 + text.charCodeAt(at) - zero;
    nanos *= nanosOfDigits[at - 20] ?? 0;
    if (at === 20) return undefined;
  }
  const offset = text.charCodeAt(at) === capitalZ && at === text.length - 1 ? 0 : readOffset(text, at);
  if (offset === undefined) return undefined;
  const seconds = daysOfUsualDate(year, month, day) * secondsOfDay + hour * 3600 + minute * 60 + second - offset * 60;
  return makeTimestamp(seconds, nanos, offset);
}

/** Nanoseconds of one unit of a fraction with that many digits. */
const nanosOfDigits = [0, 100_000_000, 10_000_000, 1_000_000, 100_000, 10_000, 1_000, 100, 10, 1] as const;

/**
 * Parses `2024-01-31T12:00:00.5+05:30`; an error for dates and times that do not exist (30 February, second 60). As
 * in Go, a one-digit hour and a comma as decimal point are accepted.
 */
export function parseTimestamp(text: string): Timestamp | EvalError {
  return readUsual(text) ?? readAny(text);
}

function readAny(text: string): Timestamp | EvalError {
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  if (!(month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month))) return unreadable;
  const shift = text.charCodeAt(12) === colon && isDigit(text.charCodeAt(11)) ? 1 : 0;
  const hour = shift === 1 ? text.charCodeAt(11) - zero : twoDigits(text, 11);
  const minute = twoDigits(text, 14 - shift);
  const second = twoDigits(text, 17 - shift);
  if ((year | hour | minute | second) < 0 || hour > 23 || minute > 59 || second > 59 || !isPunctuated(text, shift)) return unreadable;
  let at = 19 - shift;
  let nanos = 0;
  if (text.charCodeAt(at) === point || text.charCodeAt(at) === comma) {
    const start = at + 1;
    let unit = 100_000_000;
    for (at = start; isDigit(text.charCodeAt(at)); at += 1) {
      // Digits after the ninth are ignored.
      nanos += (text.charCodeAt(at) - zero) * Math.floor(unit);
      unit /= 10;
    }
    if (at === start) return unreadable;
  }
  const offset = text.charCodeAt(at) === capitalZ && at === text.length - 1 ? 0 : readOffset(text, at);
  if (offset === undefined) return unreadable;
  const days = daysFromDate(year, month, day);
  return makeTimestamp(days * secondsOfDay + hour * 3600 + minute * 60 + second - offset * 60, nanos, offset);
}

const isPunctuated = (text: string, shift: number): boolean =>
  text.charCodeAt(4) === hyphen &&
  text.charCodeAt(7) === hyphen &&
  text.charCodeAt(10) === capitalT &&
  text.charCodeAt(13 - shift) === colon &&
  text.charCodeAt(16 - shift) === colon;

/** Parses `+05:30` into minutes; undefined if invalid. As in Go, hour 24 and minute 60 are accepted. */
function readOffset(text: string, at: number): number | undefined {
  const sign = text.charCodeAt(at);
  const hours = twoDigits(text, at + 1);
  const minutes = twoDigits(text, at + 4);
  const isOffset = (sign === plus || sign === hyphen) && text.charCodeAt(at + 3) === colon && text.length === at + 6;
  if (!isOffset || (hours | minutes) < 0 || hours > 24 || minutes > 60) return undefined;
  const offset = hours * 60 + minutes;
  return sign === hyphen && offset !== 0 ? -offset : offset;
}

/** Formats a timestamp in the zone it was parsed in, with as many fraction digits as needed. */
export function formatTimestamp({ seconds, nanos, offsetMinutes }: Timestamp): string {
  const minutes = minutesEast(offsetMinutes, seconds);
  const local = seconds + minutes * 60;
  const days = Math.floor(local / secondsOfDay);
  const time = local - days * secondsOfDay;
  const { year, month, day } = dateFromDays(days);
  const clock = `${pad(Math.floor(time / 3600))}:${pad(Math.floor(time / 60) % 60)}:${pad(time % 60)}`;
  return `${String(year).padStart(4, "0")}-${pad(month)}-${pad(day)}T${clock}${formatFraction(nanos)}${formatOffset(minutes)}`;
}

// Date is used for the machine's time zone only, never for the current time. Its sign is opposite: minutes that UTC
// is ahead.
function minutesEast(offset: Offset, seconds: number): number {
  if (offset !== "local") return offset;
  work(100); // most of a microsecond
  return -new Date(seconds * 1000).getTimezoneOffset();
}

const pad = (value: number): string => (value < 10 ? `0${value}` : String(value));

const formatFraction = (nanos: number): string => (nanos === 0 ? "" : `.${String(nanos).padStart(9, "0").replace(/0+$/, "")}`);

function formatOffset(minutes: number): string {
  if (minutes === 0) return "Z";
  const size = Math.abs(minutes);
  return `${minutes < 0 ? "-" : "+"}${pad(Math.floor(size / 60))}:${pad(size % 60)}`;
}
