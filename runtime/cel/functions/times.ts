/** Getters of timestamps and durations, in UTC or in a time zone. */
import { dateFromDays, daysFromDate } from "../calendar.ts";
import { method, type Example, type FunctionRow } from "../declare.ts";
import { millisecondsIn, unitsIn } from "../duration.ts";
import { EvalError } from "../error.ts";
import { zoneOffset } from "../time-zone.ts";
import { secondsOfDay } from "../timestamp.ts";
import { duration, int, string, timestamp } from "../type.ts";
import type { Timestamp } from "../value.ts";

/** Reads one field of a timestamp from the day number, the second of the day, and the nanosecond. */
type Reading = (day: number, second: number, nanos: number) => number;

const dayOfYear = (day: number): number => day - daysFromDate(dateFromDays(day).year, 1, 1);
// 1970-01-01 was a Thursday.
const dayOfWeek = (day: number): number => (((day + 4) % 7) + 7) % 7;

const readings: readonly (readonly [name: string, id: string, idInZone: string, read: Reading, examples: readonly Example[], inZone: readonly Example[]])[] = [
  ["getFullYear",     "timestamp_to_year",                 "timestamp_to_year_with_tz",                 (day) => dateFromDays(day).year,
    [['timestamp("2024-03-10T08:30:15.5Z").getFullYear()', "2024"], ['timestamp("2023-12-31T23:30:00-01:00").getFullYear()', "2024"]],
    [['timestamp("2023-12-31T23:30:00Z").getFullYear("+01:00")', "2024"], ['timestamp("0001-01-01T00:00:00Z").getFullYear("-01:00")', "0"]]],
  ["getMonth",        "timestamp_to_month",                "timestamp_to_month_with_tz",                (day) => dateFromDays(day).month - 1,
    [['timestamp("2024-03-10T08:30:15.5Z").getMonth()', "2"]],
    [['timestamp("2024-03-01T00:00:00Z").getMonth("America/New_York")', "1"]]],
  ["getDayOfYear",    "timestamp_to_day_of_year",          "timestamp_to_day_of_year_with_tz",          dayOfYear,
    [['timestamp("2024-03-10T08:30:15.5Z").getDayOfYear()', "69"], ['timestamp("2024-12-31T00:00:00Z").getDayOfYear()', "365"]],
    [['timestamp("2024-01-01T00:00:00Z").getDayOfYear("-00:01")', "364"]]],
  ["getDayOfMonth",   "timestamp_to_day_of_month",         "timestamp_to_day_of_month_with_tz",         (day) => dateFromDays(day).day - 1,
    [['timestamp("2024-03-10T08:30:15.5Z").getDayOfMonth()', "9"]],
    [['timestamp("2024-01-01T12:00:00Z").getDayOfMonth("")', "0"]]],
  ["getDate",         "timestamp_to_day_of_month_1_based", "timestamp_to_day_of_month_1_based_with_tz", (day) => dateFromDays(day).day,
    [['timestamp("2024-03-10T08:30:15.5Z").getDate()', "10"]],
    [['timestamp("2024-02-29T23:00:00Z").getDate("Europe/Paris")', "1"]]],
  ["getDayOfWeek",    "timestamp_to_day_of_week",          "timestamp_to_day_of_week_with_tz",          dayOfWeek,
    [['timestamp("2024-03-10T08:30:15.5Z").getDayOfWeek()', "0"], ['timestamp("1969-12-31T00:00:00Z").getDayOfWeek()', "3"]],
    [['timestamp("2024-03-10T20:00:00Z").getDayOfWeek("Asia/Tokyo")', "1"]]],
  ["getHours",        "timestamp_to_hours",                "timestamp_to_hours_with_tz",                (_, second) => Math.floor(second / 3600),
    [['timestamp("2024-03-10T08:30:15.5+02:00").getHours()', "6"]],
    [['timestamp("2024-07-01T12:00:00Z").getHours("America/New_York")', "8"], ['timestamp("2024-01-01T12:00:00Z").getHours("America/New_York")', "7"], ['timestamp(5).getHours("Nowhere/At_All")', "error: invalid argument"]]],
  ["getMinutes",      "timestamp_to_minutes",              "timestamp_to_minutes_with_tz",              (_, second) => Math.floor(second / 60) % 60,
    [['timestamp("2024-03-10T08:30:15.5Z").getMinutes()', "30"]],
    [['timestamp("2024-01-01T12:00:00Z").getMinutes("Asia/Kolkata")', "30"], ['timestamp("2024-01-01T12:00:00Z").getMinutes("-5:30")', "30"]]],
  ["getSeconds",      "timestamp_to_seconds",              "timestamp_to_seconds_tz",                   (_, second) => second % 60,
    [['timestamp("2024-03-10T08:30:15.5Z").getSeconds()', "15"]],
    [['timestamp("2024-03-10T08:30:15.5Z").getSeconds("+01:00")', "15"]]],
  ["getMilliseconds", "timestamp_to_milliseconds",         "timestamp_to_milliseconds_with_tz",         (_, _second, nanos) => Math.floor(nanos / 1_000_000),
    [['timestamp("2024-03-10T08:30:15.5Z").getMilliseconds()', "500"]],
    [['timestamp("2024-03-10T08:30:15.0019Z").getMilliseconds("UTC")', "1"]]],
];

function numberAt(at: Timestamp, offset: number, read: Reading): number {
  const local = at.seconds + offset;
  const day = Math.floor(local / secondsOfDay);
  return read(day, local - day * secondsOfDay, at.nanos);
}

const readAt = (at: Timestamp, offset: number, read: Reading): bigint => BigInt(numberAt(at, offset, read));

/**
 * The getters without a zone as functions that return JavaScript numbers (0 to 9999), for generated code that only
 * compares the result.
 */
export const numbersInUtc: ReadonlyMap<string, (at: Timestamp) => number> = new Map(
  readings.map(([name, _id, _idInZone, read]) => [name, (at: Timestamp) => numberAt(at, 0, read)]),
);

function readIn(zone: string, at: Timestamp, read: Reading): bigint | EvalError {
  const offset = zoneOffset(zone, at);
  return offset instanceof EvalError ? offset : readAt(at, offset, read);
}

const durations: readonly FunctionRow[] = [
  method("getHours",        "duration_to_hours",        [duration], int, (x) => unitsIn(x, 3600), [['duration("90m").getHours()', "1"], ['(duration("1ns") - duration("2562047h")).getHours()', "-2562047"]]),
  method("getMinutes",      "duration_to_minutes",      [duration], int, (x) => unitsIn(x, 60),   [['duration("1h30m").getMinutes()', "90"], ['duration("-90s").getMinutes()', "-1"]]),
  method("getSeconds",      "duration_to_seconds",      [duration], int, (x) => unitsIn(x, 1),    [['duration("-1.9s").getSeconds()', "-1"], ['duration("1h").getSeconds()', "3600"]]),
  method("getMilliseconds", "duration_to_milliseconds", [duration], int, millisecondsIn,          [['duration("1.5s").getMilliseconds()', "1500"], ['duration("-1.5ms").getMilliseconds()', "-1"]]),
];

/** Getters of timestamps, with and without a zone, and of durations (totals, truncated). */
export const times: readonly FunctionRow[] = [
  ...readings.flatMap(([name, id, idInZone, read, examples, inZone]) => [
    method(name, id, [timestamp], int, (at) => readAt(at, 0, read), examples),
    method(name, idInZone, [timestamp, string], int, (at, zone) => readIn(zone, at, read), inZone),
  ]),
  ...durations,
];
