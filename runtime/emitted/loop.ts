/**
 * The macros that loop and ask, as generated code runs them. `some` and `every` ask for one outcome only, which is all
 * that a condition needs; `exists` and `all` make the value, where one item decides even beside errors.
 */
import type { Value } from "../cel/value.ts";
import type { Result } from "./access.ts";
import { type Steps, entries, items } from "./range.ts";

/** Some item passes the test. No range, no item. */
export function some(steps: Steps, range: Result, test: (item: Value) => boolean): boolean {
  const walked = items(range);
  if (walked === undefined) return false;
  for (const item of walked) {
    steps.step();
    if (test(item)) return true;
  }
  return false;
}

/** There is a range, and every item of it passes the test. */
export function every(steps: Steps, range: Result, test: (item: Value) => boolean): boolean {
  const walked = items(range);
  if (walked === undefined) return false;
  for (const item of walked) {
    steps.step();
    if (!test(item)) return false;
  }
  return true;
}

/** As `some`, with position or key beside each item. */
export function someEntry(steps: Steps, range: Result, test: (key: Value, item: Value) => boolean): boolean {
  const walked = entries(range);
  if (walked === undefined) return false;
  for (const [key, item] of walked) {
    steps.step();
    if (test(key, item)) return true;
  }
  return false;
}

/** As `every`, with position or key beside each item. */
export function everyEntry(steps: Steps, range: Result, test: (key: Value, item: Value) => boolean): boolean {
  const walked = entries(range);
  if (walked === undefined) return false;
  for (const [key, item] of walked) {
    steps.step();
    if (!test(key, item)) return false;
  }
  return true;
}

/** The value of `exists` (`deciding` true) or `all` (false) over what `walked` yields. */
function decide<T>(steps: Steps, walked: Iterable<T> | undefined, deciding: boolean, test: (item: T) => Result): boolean | undefined {
  if (walked === undefined) return undefined;
  let failed = false;
  for (const item of walked) {
    steps.step();
    const answer = test(item);
    if (answer === deciding) return deciding;
    if (answer !== !deciding) failed = true;
  }
  return failed ? undefined : !deciding;
}

/** `range.exists(v, test)`. */
export const exists = (steps: Steps, range: Result, test: (item: Value) => Result): boolean | undefined =>
  decide(steps, items(range), true, test);

/** `range.exists(i, v, test)`. */
export const existsEntry = (steps: Steps, range: Result, test: (key: Value, item: Value) => Result): boolean | undefined =>
  decide(steps, entries(range), true, ([key, item]) => test(key, item));

/** `range.all(v, test)`. */
export const all = (steps: Steps, range: Result, test: (item: Value) => Result): boolean | undefined =>
  decide(steps, items(range), false, test);

/** `range.all(i, v, test)`. */
export const allEntry = (steps: Steps, range: Result, test: (key: Value, item: Value) => Result): boolean | undefined =>
  decide(steps, entries(range), false, ([key, item]) => test(key, item));

function exactlyOne<T>(steps: Steps, walked: Iterable<T> | undefined, test: (item: T) => Result): boolean | undefined {
  if (walked === undefined) return undefined;
  let count = 0;
  for (const item of walked) {
    steps.step();
    const answer = test(item);
    if (typeof answer !== "boolean") return undefined;
    if (answer) count++;
  }
  return count === 1;
}

/** `range.existsOne(v, test)`. */
export const existsOne = (steps: Steps, range: Result, test: (item: Value) => Result): boolean | undefined =>
  exactlyOne(steps, items(range), test);

/** `range.existsOne(i, v, test)`. */
export const existsOneEntry = (steps: Steps, range: Result, test: (key: Value, item: Value) => Result): boolean | undefined =>
  exactlyOne(steps, entries(range), ([key, item]) => test(key, item));
