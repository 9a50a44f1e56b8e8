/** A list of scalars that `in` asks, where many of them are numbers. */
import type { Value } from "../cel/value.ts";
import type { Result } from "./access.ts";

/**
 * Above so many numbers they lie in no `Set`: the engine spreads numbers in a way that everybody knows, and whoever chose
 * them could have chosen those that lie in one place.
 */
export const mostSpread = 8;

/** Whether a list holds so many numbers that a `Set` of them could be made slow. */
export const couldCollide = (values: readonly Value[]): boolean => values.filter(isNumeric).length > mostSpread;

/** What a `Set` of these would be, whatever their numbers are: numbers are searched for, ints found by their text. */
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
