/** int64 and uint64 arithmetic: exact, or an error. */
import { evalError, type EvalError } from "./error.ts";
import { Uint } from "./value.ts";

const smallestInt = -(2n ** 63n);

/** Returns an int, or the overflow error where 64 bits do not hold it. */
export const asInt = (value: bigint): bigint | EvalError => (BigInt.asIntN(64, value) === value ? value : evalError("integer overflow"));

/** Returns a uint, or the overflow error where 64 bits do not hold it. */
export const asUint = (value: bigint): Uint | EvalError =>
  BigInt.asUintN(64, value) === value ? new Uint(value) : evalError("integer overflow", "unsigned");

/** `a + b` of ints. */
export const addInt = (left: bigint, right: bigint): bigint | EvalError => asInt(left + right);
/** `a - b` of ints. */
export const subtractInt = (left: bigint, right: bigint): bigint | EvalError => asInt(left - right);
/** `a * b` of ints. */
export const multiplyInt = (left: bigint, right: bigint): bigint | EvalError => asInt(left * right);
/** `-a` of an int: the smallest has no opposite. */
export const negateInt = (value: bigint): bigint | EvalError => asInt(-value);

/** `a / b` of ints, cut toward zero. */
export const divideInt = (left: bigint, right: bigint): bigint | EvalError =>
  right === 0n ? evalError("division by zero") : asInt(left / right);

/** `a % b` of ints, with the sign of the dividend; the one overflow is that of the division. */
export const moduloInt = (left: bigint, right: bigint): bigint | EvalError =>
  right === 0n ? evalError("modulus by zero") : left === smallestInt && right === -1n ? evalError("integer overflow") : left % right;

/** `a + b` of uints. */
export const addUint = (left: Uint, right: Uint): Uint | EvalError => asUint(left.value + right.value);
/** `a - b` of uints: none is below zero. */
export const subtractUint = (left: Uint, right: Uint): Uint | EvalError => asUint(left.value - right.value);
/** `a * b` of uints. */
export const multiplyUint = (left: Uint, right: Uint): Uint | EvalError => asUint(left.value * right.value);
/** `a / b` of uints. */
export const divideUint = (left: Uint, right: Uint): Uint | EvalError =>
  right.value === 0n ? evalError("division by zero") : new Uint(left.value / right.value);
/** `a % b` of uints. */
export const moduloUint = (left: Uint, right: Uint): Uint | EvalError =>
  right.value === 0n ? evalError("modulus by zero") : new Uint(left.value % right.value);
