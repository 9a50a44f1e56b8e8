/** Reading timestamps and durations: calendar and clock, in UTC or in a zone. */
import { method, type Example, type FunctionRow } from "../declare.ts";
import { EvalError } from "../error.ts";
import { zoneOffset } from "../time-zone.ts";
import { clockOf, type Clock } from "../timestamp.ts";
import { duration, int, string, timestamp } from "../type.ts";
import type { Duration, Timestamp } from "../value.ts";

type Reading = (clock: Clock, at: Timestamp) => number;

const readings: readonly (readonly [name: string, id: string, read: Reading, examples: readonly Example[]])[] = [
  ["getFullYear",     "timestamp_to_year",                 (clock) => clock.year,      [['timestamp("2024-03-10T08:30:15.5Z").getFullYear()', "2024"]]],
  ["getMonth",        "timestamp_to_month",                (clock) => clock.month - 1, [['timestamp("2024-03-10T08:30:15.5Z").getMonth()', "2"]]],
  ["getDayOfYear",    "timestamp_to_day_of_year",          (clock) => clock.dayOfYear, [['timestamp("2024-03-10T08:30:15.5Z").getDayOfYear()', "69"]]],
  ["getDayOfMonth",   "timestamp_to_day_of_month",         (clock) => clock.day - 1,   [['timestamp("2024-03-10T08:30:15.5Z").getDayOfMonth()', "9"]]],
  ["getDate",         "timestamp_to_day_of_month_1_based", (clock) => clock.day,       [['timestamp("2024-03-10T08:30:15.5Z").getDate()', "10"]]],
  ["getDayOfWeek",    "timestamp_to_day_of_week",          (clock) => clock.dayOfWeek, [['timestamp("2024-03-10T08:30:15.5Z").getDayOfWeek()', "0"]]],
  ["getHours",        "timestamp_to_hours",                (clock) => clock.hour,      [['timestamp("2024-03-10T08:30:15.5+02:00").getHours()', "6"]]],
  ["getMinutes",      "timestamp_to_minutes",              (clock) => clock.minute,    [['timestamp("2024-03-10T08:30:15.5Z").getMinutes()', "30"]]],
  ["getSeconds",      "timestamp_to_seconds",              (clock) => clock.second,    [['timestamp("2024-03-10T08:30:15.5Z").getSeconds()', "15"]]],
  ["getMilliseconds", "timestamp_to_milliseconds",         (_, at) => Math.trunc(at.nanos / 1_000_000), [['timestamp("2024-03-10T08:30:15.5Z").getMilliseconds()', "500"]]],
];

const inZone: ReadonlyMap<string, readonly Example[]> = new Map([
  ["getFullYear",   [['timestamp("2023-12-31T23:30:00Z").getFullYear("+01:00")', "2024"]]],
  ["getHours",      [['timestamp("2024-07-01T12:00:00Z").getHours("America/New_York")', "8"], ['timestamp("2024-01-01T12:00:00Z").getHours("America/New_York")', "7"], ['timestamp(5).getHours("Nowhere/At_All")', "error: invalid argument"]]],
  ["getMinutes",    [['timestamp("2024-01-01T12:00:00Z").getMinutes("Asia/Kolkata")', "30"], ['timestamp("2024-01-01T12:00:00Z").getMinutes("-5:30")', "30"]]],
  ["getDayOfMonth", [['timestamp("2024-01-01T12:00:00Z").getDayOfMonth("")', "0"]]],
]);

function readIn(zone: string, at: Timestamp, read: Reading): bigint | EvalError {
  const offset = zoneOffset(zone, at);
  return offset instanceof EvalError ? offset : BigInt(read(clockOf(at, offset), at));
}

/** Counts whole units. As in Go the count is a double before it is cut: a span just short of many hours may count one more. */
const unitsIn = ({ nanos }: Duration, unit: bigint): bigint =>
  BigInt(Math.trunc(Number(nanos / unit) + Number(nanos % unit) / Number(unit)));

const durations: readonly FunctionRow[] = [
  method("getHours",        "duration_to_hours",        [duration], int, (x) => unitsIn(x, 3_600_000_000_000n), [['duration("90m").getHours()', "1"], ['(duration("1ns") - duration("2562047h")).getHours()', "-2562047"]]),
  method("getMinutes",      "duration_to_minutes",      [duration], int, (x) => unitsIn(x, 60_000_000_000n),    [['duration("1h30m").getMinutes()', "90"]]),
  method("getSeconds",      "duration_to_seconds",      [duration], int, (x) => unitsIn(x, 1_000_000_000n),     [['duration("-1.9s").getSeconds()', "-1"]]),
  method("getMilliseconds", "duration_to_milliseconds", [duration], int, (x) => x.nanos / 1_000_000n,         [['duration("1.5s").getMilliseconds()', "1500"]]),
];

/** Getters of timestamps, without and with a zone, and of durations (totals, truncated). */
export const times: readonly FunctionRow[] = [
  ...readings.flatMap(([name, id, read, examples]) => [
    method(name, id, [timestamp], int, (at) => readIn("", at, read), examples),
    method(name, `${id}_with_tz`, [timestamp, string], int, (at, zone) => readIn(zone, at, read), inZone.get(name) ?? []),
  ]),
  ...durations,
];
