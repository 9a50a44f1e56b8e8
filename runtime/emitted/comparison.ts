/** Comparisons for generated code: if an operand is an error, so is the result. */
import { compare } from "../cel/compare.ts";
import { equal as equalValues } from "../cel/equal.ts";
import { sameText } from "../cel/text.ts";
import type { Result } from "./access.ts";

/** `a == b`. */
export function equal(left: Result, right: Result): boolean | undefined {
  return typeof left === "string" && typeof right === "string" ? sameText(left, right) : equalOthers(left, right);
}

const equalOthers = (left: Result, right: Result): boolean | undefined =>
  left === undefined || right === undefined ? undefined : equalValues(left, right);

/** `a != b`. */
export function unequal(left: Result, right: Result): boolean | undefined {
  const same = equal(left, right);
  return same === undefined ? undefined : !same;
}

/** The order of two values; undefined if they have none. */
function order(left: Result, right: Result): -1 | 0 | 1 | undefined {
  if (left === undefined || right === undefined) return undefined;
  if (typeof left === "number" && typeof right === "number") {
    return left < right ? -1 : left > right ? 1 : left === right ? 0 : undefined;
  }
  const answer = compare(left, right);
  return typeof answer === "number" ? answer : undefined;
}

/** `a < b`. */
export function less(left: Result, right: Result): boolean | undefined {
  const answer = order(left, right);
  return answer === undefined ? undefined : answer < 0;
}

/** `a <= b`. */
export function atMost(left: Result, right: Result): boolean | undefined {
  const answer = order(left, right);
  return answer === undefined ? undefined : answer <= 0;
}

/** `a > b`. */
export function greater(left: Result, right: Result): boolean | undefined {
  const answer = order(left, right);
  return answer === undefined ? undefined : answer > 0;
}

/** `a >= b`. */
export function atLeast(left: Result, right: Result): boolean | undefined {
  const answer = order(left, right);
  return answer === undefined ? undefined : answer >= 0;
}

/** `!a`. */
export const not = (value: Result): boolean | undefined => (typeof value === "boolean" ? !value : undefined);
