/** How values are written in JSON (semantics 4.7). */
import { expect, test } from "vitest";
import { EvalError } from "../../../runtime/cel/error.ts";
import { toJson } from "../../../runtime/cel/to-json.ts";
import { CelMap, Duration, Message, Timestamp, TypeValue, Uint } from "../../../runtime/cel/value.ts";
import type { Value } from "../../../runtime/cel/value.ts";
import { tooMuchWork, withWork } from "../../../runtime/cel/work.ts";

const mapOf = (...entries: readonly (readonly [bigint | string, Value])[]): CelMap =>
  new CelMap(new Map(entries.map(([key, value]) => [String(key), [key, value]])));

test.each<[string, Value, string]>([
  ["null", null, "null"],
  ["a boolean", true, "true"],
  ["an int", -5n, "-5"],
  ["an int that a double holds", 9007199254740991n, "9007199254740991"],
  ["an int that no double holds", -9007199254740993n, '"-9007199254740993"'],
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
  ["a duration", new Duration(1, 500_000_000), '"1.5s"'],
  ["a list", [1n, "a", []], '[1,"a",[]]'],
  ["an object of the request", JSON.parse('{"__proto__":1,"a":{}}'), '{"__proto__":1,"a":{}}'],
  [
    "a record: the fields that are there",
    new Message(
      "m",
      (name) => ({ a: 1, b: "" })[name],
      (name) => name === "a",
      () => ["a", "b"],
    ),
    '{"a":1}',
  ],
  ["a map of an expression", mapOf(["a", true], ["b", new Uint(2n)]), '{"a":true,"b":2}'],
])("%s", (_what, value, text) => {
  expect(JSON.stringify(toJson(value))).toBe(text);
});

test.each<[string, Value]>([
  ["a map whose keys are no strings", mapOf([1n, true])],
  ["a type", new TypeValue({ kind: "int" })],
  ["what holds one", [new TypeValue({ kind: "int" })]],
])("%s has no JSON form", (_what, value) => {
  expect(toJson(value)).toBeInstanceOf(EvalError);
});

test("what nests too deep has no JSON form, and what is made of itself many times over costs what it is", () => {
  let deep: Value = [];
  for (let level = 0; level < 100_000; level++) deep = [deep];
  expect(toJson(deep)).toBeInstanceOf(EvalError);
  let doubled: Value = [1];
  for (let level = 0; level < 60; level++) doubled = [doubled, doubled];
  expect(() => withWork(2 ** 20, 1, () => toJson(doubled))).toThrow(expect.toSatisfy((thrown) => thrown === tooMuchWork));
});
