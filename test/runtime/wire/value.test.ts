/** How the value of a rule's output is written in JSON. */
import { expect, test } from "vitest";
import { CelMap, Duration, Timestamp, Uint } from "../../../runtime/cel/value.ts";
import type { Value } from "../../../runtime/cel/value.ts";
import { writeValue } from "../../../runtime/wire/value.ts";

test.each<[string, Value, string]>([
  ["null", null, "null"],
  ["a boolean", true, "true"],
  ["an int", -5n, "-5"],
  ["a uint", new Uint(7n), "7"],
  ["a double", 1.5, "1.5"],
  ["NaN (D40)", Number.NaN, '"NaN"'],
  ["infinity (D40)", Number.POSITIVE_INFINITY, '"Infinity"'],
  ["negative infinity (D40)", Number.NEGATIVE_INFINITY, '"-Infinity"'],
  ["a string", 'a"\n', '"a\\"\\n"'],
  ["no bytes", new Uint8Array(), '""'],
  ["one byte", new Uint8Array([0xff]), '"/w=="'],
  ["two bytes", new Uint8Array([0xff, 0]), '"/wA="'],
  ["three bytes", new Uint8Array([1, 2, 3]), '"AQID"'],
  ["a timestamp", new Timestamp(0, 500_000_000), '"1970-01-01T00:00:00.5Z"'],
  ["a duration", new Duration(1_500_000_000n), '"1.5s"'],
  ["a list", [1n, "a", []], '[1,"a",[]]'],
  ["an object of the request", JSON.parse('{"__proto__":1,"a":{}}'), '{"__proto__":1,"a":{}}'],
  [
    "a map of an expression",
    new CelMap(
      new Map<bigint | string, readonly [Value, Value]>([
        [1n, [1n, true]],
        ["b", ["b", new Uint(2n)]],
      ]),
    ),
    '{"1":true,"b":2}',
  ],
])("%s", (_what, value, text) => {
  expect(writeValue(value)).toBe(text);
});
