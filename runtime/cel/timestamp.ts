/** Instants: reading and writing RFC 3339, and arithmetic with durations. */
import { asInt } from "./arithmetic.ts";
import { dateFromDays, daysFromDate, daysInMonth } from "./calendar.ts";
import { EvalError, evalError } from "./error.ts";
import { Duration, Timestamp } from "./value.ts";

const secondsOfDay = 86_400;
const nanosOfSecond = 1_000_000_000n;
const first = -62_135_596_800; // 0001-01-01T00:00:00Z
const last = 253_402_300_799; // 9999-12-31T23:59:59Z

/** Makes an instant, or the error of one before the year 1 or after 9999. */
export const makeTimestamp = (seconds: number, nanos: number, offsetMinutes = 0): Timestamp | EvalError =>
  seconds >= first && seconds <= last ? new Timestamp(seconds, nanos, offsetMinutes) : evalError("out of range", "timestamp overflow");

// As Go reads it: an hour of one digit and a comma are let through, anything else is as RFC 3339 has it.
const rfc3339 = /^([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{1,2}):([0-9]{2}):([0-9]{2})(?:[.,]([0-9]+))?(?:Z|([+-])([0-9]{2}):([0-9]{2}))$/;

/** Reads `2024-01-31T12:00:00.5+05:30`; what names no instant (day 30 of February, second 60) is an error. */
export function parseTimestamp(text: string): Timestamp | EvalError {
  const match = rfc3339.exec(text);
  if (match === null) return unreadable;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const [fraction = "", sign, offsetHours = "0", offsetMinutes = "0"] = match.slice(7);
  const exists =
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= daysInMonth(year, month) &&
    hour < 24 &&
    minute < 60 &&
    second < 60 &&
    Number(offsetHours) <= 24 &&
    Number(offsetMinutes) <= 60;
  if (!exists) return unreadable;
  const offset = (sign === "-" ? -1 : 1) * (Number(offsetHours) * 60 + Number(offsetMinutes));
  const days = daysFromDate({ year, month, day });
  return makeTimestamp(
    days * secondsOfDay + hour * 3600 + minute * 60 + second - offset * 60,
    Number(fraction.slice(0, 9).padEnd(9, "0")),
    offset === 0 ? 0 : offset,
  );
}

const unreadable = evalError("invalid argument", "type conversion error from 'string' to 'google.protobuf.Timestamp'");

/** Writes an instant in the zone it was read in, with as many digits of the second as it takes. */
export function formatTimestamp(timestamp: Timestamp): string {
  const { year, month, day, hour, minute, second } = clockOf(timestamp, timestamp.offsetMinutes * 60);
  const date = `${two(year, 4)}-${two(month)}-${two(day)}`;
  const fraction = timestamp.nanos === 0 ? "" : `.${two(timestamp.nanos, 9).replace(/0+$/, "")}`;
  return `${date}T${two(hour)}:${two(minute)}:${two(second)}${fraction}${formatOffset(timestamp.offsetMinutes)}`;
}

function formatOffset(minutes: number): string {
  if (minutes === 0) return "Z";
  const size = Math.abs(minutes);
  return `${minutes < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

const two = (value: number, width = 2): string => String(value).padStart(width, "0");

/** What calendar and clock show at an instant, that many seconds east of UTC. */
export interface Clock {
  readonly year: number;
  /** 1..12 */
  readonly month: number;
  readonly day: number;
  /** 0..365 */
  readonly dayOfYear: number;
  /** 0 is Sunday. */
  readonly dayOfWeek: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** Reads calendar and clock. */
export function clockOf(timestamp: Timestamp, offsetSeconds: number): Clock {
  const local = timestamp.seconds + offsetSeconds;
  const days = Math.floor(local / secondsOfDay);
  const time = local - days * secondsOfDay;
  const date = dateFromDays(days);
  return {
    ...date,
    dayOfYear: days - daysFromDate({ year: date.year, month: 1, day: 1 }),
    dayOfWeek: (((days + 4) % 7) + 7) % 7,
    hour: Math.floor(time / 3600),
    minute: Math.floor(time / 60) % 60,
    second: time % 60,
  };
}

const nanosSinceEpoch = (timestamp: Timestamp): bigint => BigInt(timestamp.seconds) * nanosOfSecond + BigInt(timestamp.nanos);

/** Returns the instant a span later (or earlier, where it is negative), in the same zone. */
export function shiftTimestamp(timestamp: Timestamp, span: bigint): Timestamp | EvalError {
  const nanos = nanosSinceEpoch(timestamp) + span;
  const rest = ((nanos % nanosOfSecond) + nanosOfSecond) % nanosOfSecond;
  return makeTimestamp(Number((nanos - rest) / nanosOfSecond), Number(rest), timestamp.offsetMinutes);
}

/** Returns the span from `earlier` to `later`, which int64 nanoseconds must hold: about 292 years. */
export function timeBetween(earlier: Timestamp, later: Timestamp): Duration | EvalError {
  const nanos = asInt(nanosSinceEpoch(later) - nanosSinceEpoch(earlier));
  return nanos instanceof EvalError ? nanos : new Duration(nanos);
}

/** Makes the instant of so many milliseconds since 1970, fractions included. */
export function timestampFromMilliseconds(milliseconds: number): Timestamp {
  const seconds = Math.floor(milliseconds / 1000);
  return new Timestamp(seconds, Math.min(999_999_999, Math.round((milliseconds - seconds * 1000) * 1_000_000)));
}
