/** Call ids. */
import { expect, test } from "vitest";
import { ulid } from "../../src/ulid.ts";

test.each([
  [0, "0000000000"],
  [1, "0000000001"],
  [1469918176385, "01ARYZ6S41"], // the example of the ULID specification
  [281474976710655, "7ZZZZZZZZZ"], // the last instant that fits
])("the instant %d starts with %s", (milliseconds, start) => {
  expect(ulid(milliseconds)).toMatch(new RegExp(`^${start}[0-9A-HJKMNP-TV-Z]{16}$`));
});

test("ten thousand ids of one instant differ", () => {
  expect(new Set(Array.from({ length: 10_000 }, () => ulid(5))).size).toBe(10_000);
});

test("ids of one instant sort in the order in which they were made, and are not to be guessed from each other", () => {
  const ids = Array.from({ length: 100_000 }, () => ulid(6));
  expect(ids.toSorted()).toEqual(ids);
  const places = ids.map((id) => id.slice(10, 14));
  const others = ids.map((id) => id.slice(14));
  expect(new Set(places).size).toBe(ids.length);
  expect(new Set(others).size).toBe(ids.length);
});

test("where the ids of an instant begin is left to chance", () => {
  const starts = Array.from({ length: 2000 }, (_, at) => ulid(1000 + at).slice(10, 14));
  expect(new Set(starts).size).toBeGreaterThan(1900);
  expect(starts.every((start) => start < "G")).toBe(true);
  expect(new Set(starts.map(([first]) => first)).size).toBe(16);
});

test("an id of a later instant sorts behind", () => {
  expect(ulid(1_700_000_000_001) > ulid(1_700_000_000_000)).toBe(true);
});
