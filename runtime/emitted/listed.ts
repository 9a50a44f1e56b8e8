/** `in` a constant list with many numbers. */
import type { Value } from "../cel/value.ts";
import type { Result } from "./access.ts";

/**
 * Above this many numbers a list is not put into a `Set`: V8's hash of numbers is predictable, so the author could
 * have chosen colliding ones.
 */
export const maxSpread = 8;

/** Whether a list holds so many numbers that a `Set` of them could be made slow. */
export const couldCollide = (values: readonly Value[]): boolean => values.filter(isNumeric).length > maxSpread;

/**
 * Behaves like a `Set` of the values, but fast whatever the numbers are: doubles by binary search, ints by their
 * decimal strings.
 */
export function listed(values: readonly Value[]): { readonly has: (value: Result) => boolean } {
  const numbers = Float64Array.from(values.filter((value) => typeof value === "number")).sort();
  const integers = new Set(values.flatMap((value) => (typeof value === "bigint" ? [String(value)] : [])));
  const others = new Set<Result>(values.filter((value) => !isNumeric(value)));
  const holds = (number: number): boolean => {
    let [from, to] = [0, numbers.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      const found = numbers[middle] ?? 0;
      if (found === number) return true;
      if (found < number) from = middle + 1;
      else to = middle;
    }
    return false;
  };
  return {
    has(value) {
      if (typeof value === "number") return holds(value);
      return typeof value === "bigint" ? integers.has(String(value)) : others.has(value);
    },
  };
}

const isNumeric = (value: Value): boolean => typeof value === "number" || typeof value === "bigint";
