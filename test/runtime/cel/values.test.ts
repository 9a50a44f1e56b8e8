/** Equality and order of values: tables, and laws over random values. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compare } from "../../../runtime/cel/compare.ts";
import { equal } from "../../../runtime/cel/equal.ts";
import { EvalError } from "../../../runtime/cel/error.ts";
import { kindOf } from "../../../runtime/cel/kind.ts";
import { lookup, makeMap, mapSize } from "../../../runtime/cel/map.ts";
import { distinct, membership } from "../../../runtime/cel/membership.ts";
import { printValue } from "../../../runtime/cel/print-value.ts";
import { int, string } from "../../../runtime/cel/type.ts";
import { Duration, Message, Timestamp, TypeValue, Uint } from "../../../runtime/cel/value.ts";
import type { CelMap, Value } from "../../../runtime/cel/value.ts";
import { ask } from "./ask.ts";

const mapOf = (...entries: readonly (readonly [Value, Value])[]): CelMap => {
  const map = makeMap(entries);
  if (map instanceof EvalError) throw new Error(map.message);
  return map;
};

describe("keys of maps", () => {
  test.each<[string, Value, Value, boolean]>([
    ["an int finds the same int", 5n, 5n, true],
    ["a double finds the same int", 5n, 5, true],
    ["a uint finds the same double", 5, new Uint(5n), true],
    ["minus zero finds zero", 0n, -0, true],
    ["a fraction finds itself", 0.5, 0.5, true],
    ["an int does not find its own text", 5n, "5", false],
    ["nor a text that says how numbers are kept", 5n, "\u00005", false],
    ["nor that text twice", "\u0000\u00005", "\u00005", false],
    ["a text that begins with NUL finds itself", "\u00005", "\u00005", true],
    ["the largest int does not find the double above it", 9223372036854775807n, 2 ** 63, false],
  ])("%s", (_, key, asked, found) => {
    expect(lookup(mapOf([key, true]), asked)).toBe(found ? true : undefined);
  });

  test("numbers are kept as texts: how the engine spreads numbers is known, and thousands can be made to meet", () => {
    const map = mapOf([1n, true], [0.5, true], [new Uint(7n), true], [2 ** 60, true]);
    expect([...map.entries.keys()].map((key) => typeof key)).toEqual(["string", "string", "string", "string"]);
  });
});

describe("equality", () => {
  test.each<[string, Value, Value, boolean]>([
    ["an int equals the same double", 1n, 1, true],
    ["an int equals the same uint", 1n, new Uint(1n), true],
    ["an int meets a double as a double", 9007199254740993n, 9007199254740992, true],
    ["two ints meet exactly", 9007199254740993n, 9007199254740992n, false],
    ["the largest int equals two to the sixty-third", 9223372036854775807n, 2 ** 63, true],
    ["an int meets a uint exactly", 9223372036854775807n, new Uint(9223372036854775808n), false],
    ["minus zero equals zero", -0, 0n, true],
    ["NaN equals nothing", NaN, NaN, false],
    ["a string is no number", "1", 1n, false],
    ["null is not false", null, false, false],
    ["null equals null", null, null, true],
    ["lists are compared by element", [1n, [2]], [1, [2n]], true],
    ["lists of different length differ", [1n], [1n, 1n], false],
    ["a literal's map equals one from JSON", mapOf(["a", 1n]), { a: 1 }, true],
    ["maps differ in a key", { a: 1 }, { b: 1 }, false],
    ["a key called __proto__ is data", JSON.parse('{"__proto__": 1}'), {}, false],
    ["an inherited name is no key", { a: 1 }, { toString: 1 }, false],
    ["bytes are compared by content", new Uint8Array([1, 2]), new Uint8Array([1, 2]), true],
    ["instants are equal in any zone", new Timestamp(5, 1, 60), new Timestamp(5, 1), true],
    ["spans are compared", new Duration(0, 5), new Duration(0, 5), true],
    ["types are compared by name", new TypeValue(int), new TypeValue(string), false],
    ["a span is no number", new Duration(0, 5), 5n, false],
  ])("%s", (_, left, right, wanted) => {
    expect(equal(left, right)).toBe(wanted);
    expect(equal(right, left)).toBe(wanted);
  });

  test("a record equals itself alone", () => {
    const record = (): Message =>
      new Message(
        "R",
        () => undefined,
        () => false,
      );
    const one = record();
    expect([equal(one, one), equal(one, record())]).toEqual([true, false]);
  });
});

describe("order", () => {
  test.each<[string, Value, Value, number | undefined | "error"]>([
    ["by code point, not by UTF-16 unit", "\u{1F600}", "\uFFFF", 1],
    ["a prefix comes first", "a", "ab", -1],
    ["false before true", false, true, -1],
    ["a shorter run of bytes first", new Uint8Array([1]), new Uint8Array([1, 0]), -1],
    ["bytes are unsigned", new Uint8Array([0x80]), new Uint8Array([0x7f]), 1],
    ["an int below a uint", -1n, new Uint(0n), -1],
    ["a large uint above every int", new Uint(2n ** 64n - 1n), 2n ** 63n - 1n, 1],
    ["an int meets a double as a double", 9223372036854775807n, 2 ** 63, 0],
    ["infinity is above", Infinity, 2n ** 63n - 1n, 1],
    ["NaN has no place", NaN, 1n, undefined],
    ["nanoseconds decide", new Timestamp(5, 1), new Timestamp(5, 2), -1],
    ["spans", new Duration(-1, 999_999_999), new Duration(0, 1), -1],
    ["kinds do not mix", "a", 1n, "error"],
    ["lists have no order", [1n], [2n], "error"],
    ["null has no order", null, null, "error"],
  ])("%s", (_, left, right, wanted) => {
    const found = compare(left, right);
    expect(found instanceof EvalError ? "error" : found).toBe(wanted);
  });
});

describe("maps", () => {
  test.each<[string, Value, Value | undefined]>([
    ["a whole double finds an int", 1, "int"],
    ["a uint finds an int", new Uint(1n), "int"],
    ["a fraction finds only itself", 1.5, "fraction"],
    ["a digit lost is a key missed", 9007199254740992, undefined],
    ["a boolean is no number", true, "boolean"],
    ["a string is no number", "1", undefined],
    ["a list is no key", [1n], undefined],
    ["NaN is no key", NaN, undefined],
  ])("%s", (_, key, wanted) => {
    const map = mapOf([1n, "int"], [1.5, "fraction"], [true, "boolean"], [9007199254740993n, "large"]);
    expect(lookup(map, key)).toBe(wanted);
  });

  test("names of the prototype are not there unless they were sent", () => {
    const sent: Value = JSON.parse('{"__proto__": {"admin": true}, "constructor": 1}');
    if (Array.isArray(sent) || kindOf(sent) !== "map") throw new Error("JSON makes a map");
    expect(ask('has(x.toString) || has(x.hasOwnProperty) || "valueOf" in x || has(x.__proto__.toString)', { x: sent })).toBe("false");
    expect(ask("x.constructor == 1.0 && x.__proto__.admin && size(x) == 2", { x: sent })).toBe("true");
    expect(ask("x.admin", { x: sent })).toBe("error: no such key: admin");
    expect(ask("[1].length", {})).toContain("does not compile");
    expect(ask("x.length", { x: "text" })).toBe("error: no such key: length");
  });

  test("of a key given twice the last value stays", () => {
    const map = mapOf([1n, "first"], [new Uint(1n), "second"]);
    expect([mapSize(map), lookup(map, 1n)]).toEqual([1, "second"]);
  });
});

const scalar = fc.oneof(
  fc.constantFrom<Value>(
    null,
    true,
    false,
    "",
    "a",
    0,
    -0,
    1,
    NaN,
    Infinity,
    0n,
    1n,
    9007199254740993n,
    9007199254740992,
    2 ** 63,
    2n ** 63n - 1n,
  ),
  fc.string({ unit: "binary", maxLength: 4 }),
  fc.double(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((value) => new Uint(value)),
  fc.uint8Array({ maxLength: 3 }),
  fc.tuple(fc.integer({ min: -5, max: 5 }), fc.integer({ min: 0, max: 3 })).map(([seconds, nanos]) => new Timestamp(seconds, nanos)),
  fc.tuple(fc.integer({ min: -2, max: 2 }), fc.integer({ min: 0, max: 2 })).map(([s, nanos]) => new Duration(s, nanos)),
);
const value = fc.letrec<{ any: Value }>((tie) => ({
  any: fc.oneof(
    { depthSize: "small" },
    scalar,
    fc.array(tie("any"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "__proto__"), tie("any"), { maxKeys: 2 }),
  ),
})).any;

test("equal is symmetric, and a value without NaN equals itself", () => {
  fc.assert(
    fc.property(value, value, (a, b) => {
      expect(equal(a, b)).toBe(equal(b, a));
      if (!printValue(a).includes("NaN")) expect(equal(a, a)).toBe(true);
    }),
  );
});

test("compare is antisymmetric, and says 0 of equal values only", () => {
  fc.assert(
    fc.property(scalar, scalar, (a, b) => {
      const there = compare(a, b);
      const back = compare(b, a);
      if (there instanceof EvalError) expect(back).toBeInstanceOf(EvalError);
      else if (there === undefined) expect(back).toBeUndefined();
      else {
        expect(back).toBe(there === 0 ? 0 : -there);
        expect(equal(a, b)).toBe(there === 0);
      }
    }),
  );
});

test("membership and distinct are what asking each element would be", () => {
  fc.assert(
    fc.property(fc.array(value, { maxLength: 20 }), fc.array(value, { maxLength: 5 }), (list, others) => {
      const has = membership(list, 100);
      for (const other of [...list, ...others]) expect(has(other)).toBe(list.some((element) => equal(element, other)));
      const kept = distinct(list);
      expect(kept).toEqual(
        list.filter((element, i) => !list.slice(0, i).some((before) => kept.includes(before) && equal(before, element))),
      );
    }),
  );
});

test("the printed form of a value, asked, is the value", () => {
  fc.assert(
    fc.property(value, (a) => {
      expect(ask(printValue(a))).toBe(printValue(a));
    }),
  );
});
