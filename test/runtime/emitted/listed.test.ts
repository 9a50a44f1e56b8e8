/** A list of many numbers answers as a `Set` of them does, and does not care which numbers they are. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Value } from "../../../runtime/cel/value.ts";
import { couldCollide, listed, maxSpread } from "../../../runtime/emitted/listed.ts";

const scalar = fc.oneof(
  fc.double({ noNaN: true }),
  fc.integer({ min: -20, max: 20 }),
  fc.bigInt({ min: -20n, max: 20n }),
  fc.constantFrom<Value>("", "1", "1n", "-0", true, false, null, 0, -0, Infinity, -Infinity, 2 ** 53),
);

test("it has what a set has", () => {
  fc.assert(
    fc.property(fc.array(scalar, { maxLength: 40 }), fc.array(scalar), (values, asked) => {
      const [list, set] = [listed(values), new Set<Value>(values)];
      for (const value of [...asked, ...values]) expect(list.has(value)).toBe(set.has(value));
      expect(list.has(undefined)).toBe(false);
      expect(list.has([1])).toBe(false);
    }),
  );
});

const numbers = (count: number): readonly Value[] => Array.from({ length: count }, (_, at) => (at % 2 === 0 ? at : BigInt(at)));

test.each<[sentence: string, values: readonly Value[], could: boolean]>([
  ["few numbers", numbers(maxSpread), false],
  ["more", numbers(maxSpread + 1), true],
  ["many texts, which the engine spreads by a secret", Array.from({ length: 100 }, String), false],
])("%s", (_sentence, values, could) => {
  expect(couldCollide(values)).toBe(could);
});
