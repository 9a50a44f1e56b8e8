/** The order of values: `<`, `<=`, `>` and `>=`. */
import { evalError, type EvalError } from "./error.ts";
import { compareText } from "./text.ts";
import { Duration, Timestamp, Uint, type Value } from "./value.ts";
import { work } from "./work.ts";

/** Returns -1, 0 or 1; undefined if a value is NaN; `no such overload` if the types have no common order. */
export function compare(left: Value, right: Value): -1 | 0 | 1 | undefined | EvalError {
  if (typeof left === "string" && typeof right === "string") return compareText(left, right);
  if (isNumber(left) && isNumber(right)) return compareNumbers(left, right);
  if (typeof left === "boolean" && typeof right === "boolean") return order(Number(left), Number(right));
  if (left instanceof Timestamp) return right instanceof Timestamp ? compareTimes(left, right) : unrelated;
  if (left instanceof Duration) return right instanceof Duration ? compareTimes(left, right) : unrelated;
  if (left instanceof Uint8Array && right instanceof Uint8Array) return compareBytes(left, right);
  return unrelated;
}

const unrelated = evalError("no such overload");

/** Orders two timestamps, or two durations. */
const compareTimes = (left: Timestamp | Duration, right: Timestamp | Duration): -1 | 0 | 1 =>
  left.seconds !== right.seconds
    ? left.seconds < right.seconds
      ? -1
      : 1
    : left.nanos === right.nanos
      ? 0
      : left.nanos < right.nanos
        ? -1
        : 1;

/** The error of a comparison with NaN. */
export const unordered = /* @__PURE__ */ evalError("invalid argument", "NaN values cannot be ordered");

/** Whether a value is an int, a uint or a double. */
export const isNumber = (value: Value): value is bigint | number | Uint =>
  typeof value === "number" || typeof value === "bigint" || value instanceof Uint;

/**
 * Orders numbers of any types. As in cel-go, an integer is converted to double to compare it with a double, so that
 * 9007199254740993 and 9007199254740992.0 are equal; ints and uints are compared exactly.
 */
export function compareNumbers(left: bigint | number | Uint, right: bigint | number | Uint): -1 | 0 | 1 | undefined {
  if (typeof left === "number" || typeof right === "number") return order(toDouble(left), toDouble(right));
  return order(toInteger(left), toInteger(right));
}

const toDouble = (value: bigint | number | Uint): number => (typeof value === "number" ? value : Number(toInteger(value)));

const toInteger = (value: bigint | Uint): bigint => (typeof value === "bigint" ? value : value.value);

function order(left: number, right: number): -1 | 0 | 1 | undefined;
function order(left: bigint, right: bigint): -1 | 0 | 1;
function order(left: number | bigint, right: number | bigint): -1 | 0 | 1 | undefined {
  if (left < right) return -1;
  if (left > right) return 1;
  return left === right ? 0 : undefined;
}

function compareBytes(left: Uint8Array, right: Uint8Array): -1 | 0 | 1 {
  work(1 + Math.min(left.length, right.length) / 8);
  const shorter = Math.min(left.length, right.length);
  for (let i = 0; i < shorter; i++) {
    const a = left[i] ?? 0;
    const b = right[i] ?? 0;
    if (a !== b) return a < b ? -1 : 1;
  }
  return left.length === right.length ? 0 : left.length < right.length ? -1 : 1;
}
