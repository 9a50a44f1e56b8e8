/** Calls that are said not to fail do not, whatever the values of these kinds are, and come to what is said. */
import { describe, expect, test } from "vitest";
import { call } from "../../../runtime/cel/call.ts";
import { EvalError } from "../../../runtime/cel/error.ts";
import { timestampFromMilliseconds } from "../../../runtime/cel/timestamp.ts";
import { Uint, type Value } from "../../../runtime/cel/value.ts";
import { sureCalls } from "../../../runtime/decide/sure-calls.ts";
import {
  absent,
  any,
  double,
  finite,
  infinite,
  int,
  isOfKinds,
  type Kinds,
  kindsOf,
  list,
  long,
  map,
  maxElements,
  nonzero,
  nothing,
  numbers,
  other,
  otherShort,
  short,
  text,
  texts,
  truth,
  uint,
  unordered,
  zero,
} from "../../../runtime/decide/value-kinds.ts";

const many = Array.from({ length: maxElements + 1 }, (_, at) => `tag-${at}`);

const samples: readonly Value[] = [
  null,
  true,
  false,
  "",
  "tag-1",
  "\u{1F600}b",
  "\uD800",
  "x".repeat(200_000),
  0n,
  -(2n ** 63n),
  2n ** 63n - 1n,
  new Uint(0n),
  new Uint(2n ** 64n - 1n),
  0,
  -0,
  1,
  -2.5,
  5e-324,
  1.7976931348623157e308,
  -1.7976931348623157e308,
  Infinity,
  -Infinity,
  Number.NaN,
  [],
  ["tag-1", "tag-2"],
  [1, 2.5],
  [1, "tag-1", null, [1], { a: 1 }],
  [Number.NaN],
  many,
  {},
  { "tag-1": 1, toString: "x" },
  new Uint8Array([1]),
  timestampFromMilliseconds(0),
];
const of = (kinds: Kinds): readonly Value[] => samples.filter((value) => isOfKinds(value, kinds));

const context = { now: timestampFromMilliseconds(0) };

describe("calls", () => {
  test.each(sureCalls)("$name, as a method $receiver, of $parameters comes to $result", ({ name, receiver, parameters, result }) => {
    const lists = parameters.reduce<readonly (readonly Value[])[]>(
      (all, kinds) => all.flatMap((args) => of(kinds).map((value) => [...args, value])),
      [[]],
    );
    expect(lists.length).toBeGreaterThan(1);
    const outcomes = lists.map((args) => call(name, receiver, args, context));
    expect(outcomes.filter((outcome) => outcome instanceof EvalError || !isOfKinds(outcome, result))).toEqual([]);
  });
});

describe("kinds", () => {
  test.each<readonly [value: Value | undefined, kinds: Kinds, others: Kinds]>([
    [undefined, absent, any],
    [null, nothing, any & ~nothing],
    [false, truth, any & ~truth],
    ["", text, any & ~text],
    [1n, int, any & ~int],
    [new Uint(1n), uint, any & ~uint],
    [-0, zero, any & ~zero],
    [5e-324, nonzero, any & ~nonzero],
    [1.7976931348623157e308, finite, any & ~finite],
    [-Infinity, infinite, any & ~infinite],
    [Number.NaN, unordered, any & ~unordered],
    [["a", ""], texts, any & ~texts & ~otherShort],
    [[1, 0], numbers, any & ~numbers & ~otherShort],
    [[1, "a"], otherShort, texts | numbers | long],
    [[1, Infinity], otherShort, texts | numbers | long],
    [[null], otherShort, texts | numbers | long],
    [many.slice(1), texts, numbers | long],
    [many, long, any & ~long],
    [{}, map, any & ~map],
    [Object.create(null), other, any & ~other],
    [new Uint8Array(), other, any & ~other],
  ])("%o", (value, kinds, others) => {
    expect([isOfKinds(value, kinds), isOfKinds(value, others), isOfKinds(value, absent | any)]).toEqual([true, false, true]);
    if (value !== undefined) expect(kinds & kindsOf(value)).toBe(kindsOf(value));
  });

  test("an empty list is of texts, and of numbers", () => {
    expect([texts, numbers, otherShort, short, long].map((kinds) => isOfKinds([], kinds))).toEqual([true, true, true, true, false]);
    expect([list & long, double & unordered, kindsOf([])]).toEqual([long, unordered, texts]);
  });
});
