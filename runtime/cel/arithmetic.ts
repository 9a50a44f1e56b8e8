/** Arithmetic of int64 and uint64. Results are exact or an error. */
import { evalError, type EvalError } from "./error.ts";
import { Uint } from "./value.ts";

const smallestInt = -(2n ** 63n);

/** Returns the value as an int, or an overflow error if it does not fit into 64 bits. */
export const asInt = (value: bigint): bigint | EvalError => (BigInt.asIntN(64, value) === value ? value : evalError("integer overflow"));

/** Returns the value as a uint, or an overflow error if it does not fit into 64 bits. */
export const asUint = (value: bigint): Uint | EvalError =>
  BigInt.asUintN(64, value) === value ? new Uint(value) : evalError("integer overflow", "unsigned");

/** `a + b` of ints. */
export const addInt = (left: bigint, right: bigint): bigint | EvalError => asInt(left + right);
/** `a - b` of ints. */
export const subtractInt = (left: bigint, right: bigint): bigint | EvalError => asInt(left - right);
/** `a * b` of ints. */
export const multiplyInt = (left: bigint, right: bigint): bigint | EvalError => asInt(left * right);
/** `-a` of an int. The smallest int overflows. */
export const negateInt = (value: bigint): bigint | EvalError => asInt(-value);

/** `a / b` of ints, truncated toward zero. */
export const divideInt = (left: bigint, right: bigint): bigint | EvalError =>
  right === 0n ? evalError("division by zero") : asInt(left / right);

/** `a % b` of ints, with the sign of the dividend. As in cel-go, it overflows where the division would. */
export const moduloInt = (left: bigint, right: bigint): bigint | EvalError =>
  right === 0n ? evalError("modulus by zero") : left === smallestInt && right === -1n ? evalError("integer overflow") : left % right;

/** `a + b` of uints. */
export const addUint = (left: Uint, right: Uint): Uint | EvalError => asUint(left.value + right.value);
/** `a - b` of uints. A negative result overflows. */
export const subtractUint = (left: Uint, right: Uint): Uint | EvalError => asUint(left.value - right.value);
/** `a * b` of uints. */
export const multiplyUint = (left: Uint, right: Uint): Uint | EvalError => asUint(left.value * right.value);
/** `a / b` of uints. */
export const divideUint = (left: Uint, right: Uint): Uint | EvalError =>
  right.value === 0n ? evalError("division by zero") : new Uint(left.value / right.value);
/** `a % b` of uints. */
export const moduloUint = (left: Uint, right: Uint): Uint | EvalError =>
  right.value === 0n ? evalError("modulus by zero") : new Uint(left.value % right.value);
