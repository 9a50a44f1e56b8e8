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

test("an id of a later instant sorts behind", () => {
  expect(ulid(1_700_000_000_001) > ulid(1_700_000_000_000)).toBe(true);
});
