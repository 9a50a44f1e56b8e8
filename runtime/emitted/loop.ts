/**
 * The boolean macros for generated code. `some` and `every` return plain booleans (an error counts as false), which
 * is all a condition needs. `exists` and `all` return the CEL value: one item decides even if others are errors.
 */
import type { Value } from "../cel/value.ts";
import type { Result } from "./access.ts";
import { type Steps, entries, items } from "./range.ts";

/** Whether the test is true for some item; false if the range is an error. */
export function some(steps: Steps, range: Result, test: (item: Value) => boolean): boolean {
  const walked = items(range);
  if (walked === undefined) return false;
  for (const item of walked) {
    steps.step();
    if (test(item)) return true;
  }
  return false;
}

/** Whether the range is no error and the test is true for every item. */
export function every(steps: Steps, range: Result, test: (item: Value) => boolean): boolean {
  const walked = items(range);
  if (walked === undefined) return false;
  for (const item of walked) {
    steps.step();
    if (!test(item)) return false;
  }
  return true;
}

/** Like `some`, with index or key. */
export function someEntry(steps: Steps, range: Result, test: (key: Value, item: Value) => boolean): boolean {
  const walked = entries(range);
  if (walked === undefined) return false;
  for (const [key, item] of walked) {
    steps.step();
    if (test(key, item)) return true;
  }
  return false;
}

/** Like `every`, with index or key. */
export function everyEntry(steps: Steps, range: Result, test: (key: Value, item: Value) => boolean): boolean {
  const walked = entries(range);
  if (walked === undefined) return false;
  for (const [key, item] of walked) {
    steps.step();
    if (!test(key, item)) return false;
  }
  return true;
}

/** The value of `exists` (`deciding` is true) or `all` (`deciding` is false). */
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
