/** Instants, spans and zones. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dateFromDays, daysFromDate, daysInMonth } from "../../../runtime/cel/calendar.ts";
import { formatDuration, totalNanos } from "../../../runtime/cel/duration.ts";
import { parseDuration } from "../../../runtime/cel/duration-text.ts";
import { EvalError } from "../../../runtime/cel/error.ts";
import { zoneOffset } from "../../../runtime/cel/time-zone.ts";
import { formatTimestamp, parseTimestamp } from "../../../runtime/cel/timestamp-text.ts";
import { earlier, later, timeBetween, timestampFromMilliseconds } from "../../../runtime/cel/timestamp.ts";
import { Duration, Timestamp } from "../../../runtime/cel/value.ts";
import { ask } from "./ask.ts";

const first = -62_135_596_800;
const last = 253_402_300_799;
const seconds = fc.oneof(fc.constantFrom(first, last, 0, -1, 951_782_400), fc.integer({ min: first, max: last }));
const instant = fc
  .tuple(seconds, fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 999_999_999 })))
  .map(([s, nanos]) => new Timestamp(s, nanos));

test("a day and its number are one", () => {
  fc.assert(
    fc.property(fc.integer({ min: -720_000, max: 2_940_000 }), (days) => {
      const date = dateFromDays(days);
      expect(daysFromDate(date.year, date.month, date.day)).toBe(days);
      const platform = new Date(days * 86_400_000);
      expect(date).toEqual({ year: platform.getUTCFullYear(), month: platform.getUTCMonth() + 1, day: platform.getUTCDate() });
      expect(daysInMonth(date.year, date.month)).toBe(new Date(Date.UTC(date.year + 400, date.month, 0)).getUTCDate());
    }),
  );
});

test("what is written is read as the same instant", () => {
  fc.assert(
    fc.property(instant, fc.integer({ min: -720, max: 840 }), (at, offset) => {
      expect(parseTimestamp(formatTimestamp(at))).toEqual(at);
      const local = new Timestamp(at.seconds, at.nanos, offset);
      const { year } = dateFromDays(Math.floor((at.seconds + offset * 60) / 86_400));
      if (year >= 1 && year <= 9999) expect(parseTimestamp(formatTimestamp(local))).toEqual(local);
    }),
  );
});

test("the usual forms are read as the long way reads them, whatever character is wrong", () => {
  // Ten digits of the second say the same, and are no usual form.
  const longer = (text: string): string =>
    `${text.slice(0, 19)}.${/^[.](\d*)/.exec(text.slice(19))?.[1]?.padEnd(10, "0") ?? "0000000000"}${text.slice(19).replace(/^[.]\d*/, "")}`;
  const usual = fc
    .tuple(
      instant,
      fc.constantFrom("", ".1", ".000", ".120", ".999", ".123456789"),
      fc.constantFrom("Z", "+05:30", "-00:00", "-12:00", "+24:00"),
    )
    .map(([at, fraction, zone]) => formatTimestamp(new Timestamp(at.seconds, 0)).replace(/Z$/, fraction + zone));
  fc.assert(
    fc.property(usual, fc.nat(18), fc.constantFrom(..."0123456789-:.TZaz/ +é"), (text, at, character) => {
      const mutated = at < text.length - 1 ? text.slice(0, at) + character + text.slice(at + 1) : text;
      expect(parseTimestamp(mutated)).toEqual(parseTimestamp(longer(mutated)));
    }),
    { numRuns: 5000 },
  );
});

test("shifting by the time between two instants goes from one to the other", () => {
  fc.assert(
    fc.property(instant, instant, (from, to) => {
      const between = timeBetween(from, to);
      if (between instanceof EvalError) expect(Math.abs(to.seconds - from.seconds)).toBeGreaterThan(9_223_372_035);
      else {
        expect(later(from, between)).toEqual(to);
        expect(earlier(to, between)).toEqual(from);
      }
    }),
  );
});

describe("reading instants", () => {
  test.each([
    ["2024-01-01T05:00:00.120Z", "2024-01-01T05:00:00.12Z"],
    ["2024-01-01T05:00:00+05:30", "2024-01-01T05:00:00+05:30"],
    ["2024-01-01T05:00:00-00:00", "2024-01-01T05:00:00Z"],
    ["2024-01-01T05:00:00.1234567891Z", "2024-01-01T05:00:00.123456789Z"],
    ["2024-01-01T05:00:00.100Z", "2024-01-01T05:00:00.1Z"],
    ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"],
    ["9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59.999999999Z"],
    // Go reads an hour of one digit and a comma.
    ["2024-01-01T5:00:00,5Z", "2024-01-01T05:00:00.5Z"],
  ])("%s", (text, wanted) => {
    const read = parseTimestamp(text);
    expect(read instanceof EvalError ? read.message : formatTimestamp(read)).toBe(wanted);
  });

  test.each([
    "2024-01-01t05:00:00Z",
    "2024-01-01T05:00:00z",
    "2024-01-01 05:00:00Z",
    "2024-02-30T00:00:00Z",
    "2023-02-29T00:00:00Z",
    "1900-02-29T00:00:00Z",
    "2024-04-31T00:00:00Z",
    "2024-06-31T00:00:00Z",
    "2024-09-31T00:00:00Z",
    "2024-11-31T00:00:00Z",
    "2024-12-32T00:00:00Z",
    "2024-01-01T24:00:00Z",
    "2024-01-01T05:00:60Z",
    "2024-01-01T05:60:00Z",
    "2024-13-01T00:00:00Z",
    "2024-00-01T00:00:00Z",
    "2024-01-00T00:00:00Z",
    "0000-01-01T00:00:00Z",
    "9999-12-31T23:59:59-01:00",
    "2024-01-01T05:00:00.Z",
    "2024-01-01T05:00:00",
    "2024-01-01",
    "",
    "2024-01-01T05:00:00+0530",
    "20240-01-01T00:00:00Z",
  ])("%s is no instant", (text) => {
    expect(parseTimestamp(text)).toBeInstanceOf(EvalError);
  });
});

describe("spans", () => {
  test.each<[string, bigint]>([
    ["1h30m", 5_400_000_000_000n],
    ["-1.5h", -5_400_000_000_000n],
    ["+1s", 1_000_000_000n],
    [".5s", 500_000_000n],
    ["1.s", 1_000_000_000n],
    ["0", 0n],
    ["-0", 0n],
    ["1\u00b5s", 1000n],
    ["1\u03bcs2us3ns", 3003n],
    ["9223372036s", 9_223_372_036_000_000_000n],
    ["-9223372036854775808ns", -(2n ** 63n)],
    ["0.000000001s", 1n],
    ["1m1m", 120_000_000_000n],
  ])("%s", (text, nanos) => {
    const span = parseDuration(text);
    expect(span instanceof Duration ? totalNanos(span) : span).toBe(nanos);
  });

  test.each([
    "",
    "1",
    "1d",
    "1h-1m",
    "s",
    ".s",
    "1e3s",
    "1 s",
    "9223372037s",
    "9223372036854775808ns",
    "-",
    "1.5",
    "1S",
    // What stands beside the digits.
    "1:s",
    "1/s",
    "1.:s",
    "9".repeat(100_000) + "s",
  ])("%s is no span", (text) => {
    expect(parseDuration(text)).toBeInstanceOf(EvalError);
  });

  test("are written in seconds", () => {
    expect(
      ["1.5ms", "1h", "-5ms", "0"].map((text) => {
        const span = parseDuration(text);
        return span instanceof EvalError ? span.message : formatDuration(span);
      }),
    ).toEqual(["0.0015s", "3600s", "-0.005s", "0s"]);
  });
});

describe("zones", () => {
  test.each<[string, string, number]>([
    ["America/New_York", "2024-01-01T12:00:00Z", -18_000],
    ["America/New_York", "2024-07-01T12:00:00Z", -14_400],
    // The hour that happens twice: before and after the clock went back.
    ["America/New_York", "2024-11-03T05:59:59Z", -14_400],
    ["America/New_York", "2024-11-03T06:00:00Z", -18_000],
    ["Asia/Kolkata", "2024-01-01T00:00:00Z", 19_800],
    ["US/Pacific", "2024-01-01T00:00:00Z", -28_800],
    ["Brazil/DeNoronha", "2024-01-01T00:00:00Z", -7200],
    ["America/Port-au-Prince", "2024-01-01T00:00:00Z", -18_000],
    ["America/Argentina/ComodRivadavia", "2024-01-01T00:00:00Z", -10_800],
    ["GB-Eire", "2024-07-01T00:00:00Z", 3600],
    ["Etc/GMT+5", "2024-01-01T00:00:00Z", -18_000],
    ["UTC", "2024-01-01T00:00:00Z", 0],
    ["", "2024-01-01T00:00:00Z", 0],
    ["Pacific/Kiritimati", "9999-12-31T23:59:59Z", 50_400],
    ["+5:30", "2024-01-01T00:00:00Z", 19_800],
    ["-05:30", "2024-01-01T00:00:00Z", -19_800],
    ["25:00", "2024-01-01T00:00:00Z", 90_000],
  ])("%s at %s", (zone, text, offset) => {
    const at = parseTimestamp(text);
    if (at instanceof EvalError) throw new Error(at.message);
    expect(zoneOffset(zone, at)).toBe(offset);
  });

  test.each([
    "utc",
    "america/new_york",
    "AMERICA/NEW_YORK",
    "Nowhere",
    // A link in another case, and names that Intl has and IANA has not.
    "Asia/KOLKATA",
    "US/PACIFIC",
    "PST",
    "IST",
    "SystemV/PST8PDT",
    "US/Pacific-New",
    "+",
    ":",
    "a:b",
    "1:",
    "America/New_York/",
    "../etc/passwd",
    "X".repeat(100_000),
    `Asia/${"A-".repeat(100_000)}`,
  ])("%s is no zone", (zone) => {
    expect(zoneOffset(zone, new Timestamp(0, 0))).toMatchObject({ kind: "invalid argument" });
  });

  test("every zone that the engine names is one, and not in capitals", () => {
    for (const zone of Intl.supportedValuesOf("timeZone")) {
      expect([zone, typeof zoneOffset(zone, new Timestamp(0, 0))]).toEqual([zone, "number"]);
      if (zone !== zone.toUpperCase())
        expect(zoneOffset(zone.toUpperCase(), new Timestamp(0, 0))).toMatchObject({ kind: "invalid argument" });
    }
  });

  test("a year that is another in the zone", () => {
    expect(ask('timestamp("0001-01-01T00:00:00Z").getFullYear("America/New_York")')).toBe("0");
    expect(ask('timestamp("9999-12-31T23:59:59Z").getFullYear("+01:00")')).toBe("10000");
  });
});

test("milliseconds become an instant", () => {
  expect(timestampFromMilliseconds(1500.25)).toEqual(new Timestamp(1, 500_250_000));
  expect(timestampFromMilliseconds(1_704_085_200_007)).toEqual(new Timestamp(1_704_085_200, 7_000_000));
  expect(timestampFromMilliseconds(-1)).toEqual(new Timestamp(-1, 999_000_000));
});

test("instants are read as a pattern of RFC 3339 reads them", () => {
  const pattern = /^(\d{4})-(\d\d)-(\d\d)T(\d{1,2}):(\d\d):(\d\d)(?:[.,]\d+)?(?:Z|[+-](\d\d):(\d\d))$/;
  const field = fc.constantFrom("00", "01", "12", "13", "23", "24", "29", "30", "31", "59", "60", "2x", "/0", ":9", "1");
  const written = fc
    .tuple(
      fc.constantFrom("2024", "2023", "1900", "2000", "9998", "19x4", "202"),
      field,
      field,
      field,
      field,
      field,
      fc.constantFrom("", ".5", ",25", ".", ".1234567891", ".x"),
      fc.constantFrom("Z", "z", "", "+05:30", "-24:60", "+25:00", "+5:30", "-00:61", "ZZ"),
      fc.constantFrom("-", ":", "T", "t"),
    )
    .map(([year, month, day, hour, minute, second, fraction, zone, odd]) => [
      `${year}-${month}-${day}T${hour}:${minute}:${second}${fraction}${zone}`,
      `${year}-${month}-${day}${odd}${hour}:${minute}:${second}${zone}`,
    ]);
  fc.assert(
    fc.property(written, (texts) => {
      for (const text of texts) {
        const [, year, month, day, hour, minute, second, hours = 0, minutes = 0] = (pattern.exec(text) ?? []).map(Number);
        const isOne =
          pattern.test(text) &&
          Number(month) >= 1 &&
          Number(month) <= 12 &&
          Number(day) >= 1 &&
          Number(day) <= daysInMonth(Number(year), Number(month)) &&
          Number(hour) < 24 &&
          Number(minute) < 60 &&
          Number(second) < 60 &&
          !(hours > 24) &&
          !(minutes > 60);
        expect([text, parseTimestamp(text) instanceof Timestamp]).toEqual([text, isOne]);
      }
    }),
    { numRuns: 2000 },
  );
});
