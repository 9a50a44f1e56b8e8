/** Membership of a long list, and what is left without repetitions: as if each element were compared with each. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { equal } from "../../../runtime/cel/equal.ts";
import { distinct, membership } from "../../../runtime/cel/membership.ts";
import { Hierarchy } from "../../../runtime/cel/hierarchy.ts";
import { Duration, Timestamp, Uint, type Value } from "../../../runtime/cel/value.ts";

/** Few values of every kind, so that many are equal: the same number as int, uint and double, the same contents twice. */
const scalar: fc.Arbitrary<Value> = fc.constantFrom<Value>(
  null,
  true,
  false,
  "",
  "a",
  "b",
  "true",
  "null",
  "1",
  "x".repeat(40),
  // As a part of a list it looks like two.
  "a,sb",
  0,
  -0,
  1,
  1.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  2 ** 53,
  0n,
  1n,
  -1n,
  2n ** 53n + 1n,
  new Uint(0n),
  new Uint(1n),
  new Timestamp(0, 0),
  new Timestamp(1, 0),
  new Timestamp(1, 5),
  new Duration(0, 0),
  new Duration(1, 0),
  new Duration(1, 5),
  new Hierarchy(["a"]),
  new Hierarchy(["b"]),
);
const bytes = fc.array(fc.constantFrom(0, 1), { maxLength: 2 }).map((all): Value => Uint8Array.from(all));
const value: fc.Arbitrary<Value> = fc.oneof(
  { weight: 8, arbitrary: scalar },
  { weight: 1, arbitrary: bytes },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 2 }) },
  { weight: 1, arbitrary: fc.array(fc.constantFrom<Value>("a", "b", "a,sb"), { maxLength: 2 }) },
  {
    weight: 2,
    arbitrary: fc
      .array(fc.tuple(fc.constantFrom("a", "b"), fc.constantFrom<Value>(1, 1n, null)), { maxLength: 2 })
      .map((entries): Value => Object.assign(Object.create(null), Object.fromEntries(entries))),
  },
);
const lists = fc.oneof(fc.array(value, { maxLength: 30 }), fc.array(fc.constantFrom("a", "b", "x".repeat(40), "c"), { maxLength: 30 }));

test("a value is a member where an element is equal to it, however often that is asked", () => {
  fc.assert(
    fc.property(lists, fc.array(value, { maxLength: 10 }), fc.constantFrom(1, 8, 1000), (list, others, times) => {
      const isMember = membership(list, times);
      for (const one of [...list, ...others]) expect([one, isMember(one)]).toEqual([one, list.some((element) => equal(element, one))]);
    }),
    { numRuns: 1000 },
  );
});

test("the first of equal elements stay, in order", () => {
  fc.assert(
    fc.property(lists, (list) => {
      const kept: Value[] = [];
      for (const element of list) if (!kept.some((other) => equal(other, element))) kept.push(element);
      expect(distinct(list)).toEqual(kept);
    }),
    { numRuns: 1000 },
  );
});

test("values that share what they are looked up by are told apart", () => {
  const [a, b, again] = [new Hierarchy(["a"]), new Hierarchy(["b"]), new Hierarchy(["a"])];
  expect(distinct([a, b, again, b, a])).toEqual([a, b]);
  expect(distinct([["a,sb"], ["a", "b"], ["a,sb"], ["a", "b"]])).toEqual([["a,sb"], ["a", "b"]]);
  const isMember = membership([a, b, ...Array.from({ length: 20 }, (_, at) => at)], 1000);
  expect([again, b, new Hierarchy(["c"]), 3n, 20].map(isMember)).toEqual([true, true, false, true, false]);
});
