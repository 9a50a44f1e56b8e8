/** `math.*`: extremes, rounding, signs and bits. */
import { asInt } from "../arithmetic.ts";
import { compareNumbers, isNumber, unordered } from "../compare.ts";
import { global, type Example, type FunctionRow } from "../declare.ts";
import { EvalError, evalError } from "../error.ts";
import { bool, double, dyn, int, listOf, uint, type Type } from "../type.ts";
import { Uint, type Value } from "../value.ts";

/** The extreme value; the first one of equals. */
function extreme(values: readonly Value[], beats: -1 | 1): Value | EvalError {
  let [best] = values;
  if (best === undefined) return evalError("invalid argument", "the list must not be empty");
  if (!isNumber(best)) return evalError("no such overload");
  for (const value of values.slice(1)) {
    if (!isNumber(value)) return evalError("no such overload");
    const order = compareNumbers(value, best);
    if (order === undefined) return unordered;
    if (order === beats) best = value;
  }
  return best;
}

/** In the order of their sample values. */
const kinds: readonly (readonly [name: string, type: typeof double | typeof int | typeof uint, sample: string])[] = [["double", double, "1.5"], ["int", int, "2"], ["uint", uint, "3u"]];

const pairs = kinds
  .flatMap((left) => kinds.map((right) => [left, right] as const))
  .toSorted(([left, right], [otherLeft, otherRight]) => Number(left !== right) - Number(otherLeft !== otherRight));

/** Overloads for one number, for two of any numeric types, and for a list of numbers. */
const extremes = (name: string, id: string, beats: -1 | 1, examples: readonly Example[]): readonly FunctionRow[] => [
  ...kinds.map(([kind, type, sample]) => global(name, `math_@${id}_${kind}`, [type], type, (x) => extreme([x], beats), [[`${name}(${sample})`, sample], ...(kind === "int" ? examples : [])])),
  // Pairs of the same type come first: for an argument of unknown type the checker picks the first overload that
  // fits.
  ...pairs.map(([[left, leftType, first], [right, rightType, second]]) =>
    global(name, `math_@${id}_${left}_${right}`, [leftType, rightType], resultOf(leftType, rightType), (x, y) => extreme([x, y], beats),
      [[`${name}(${first}, ${second})`, (kinds.findIndex(([kind]) => kind === left) - kinds.findIndex(([kind]) => kind === right)) * beats > 0 ? first : second]])),
  ...kinds.map(([kind, type, sample]) => global(name, `math_@${id}_list_${kind}`, [listOf(type)], type, (values) => extreme(values, beats), [[`${name}([${sample}, ${sample}])`, sample]])),
];

const resultOf = (left: Type, right: Type): Type => (left === right ? left : dyn);

/** Rounds half away from zero. */
function round(value: number): number {
  const whole = Math.trunc(value);
  return Math.abs(value - whole) >= 0.5 ? whole + Math.sign(value) : whole;
}

const wrapInt = (value: bigint): bigint => BigInt.asIntN(64, value);
const wrapUint = (value: bigint): Uint => new Uint(BigInt.asUintN(64, value));

/** Bit operations on two's complement; a right shift fills with zeros. */
function shift(value: bigint, by: bigint, direction: "left" | "right"): bigint | EvalError {
  if (by < 0n) return evalError("invalid argument", `a shift by ${by}: negative offset`);
  if (by >= 64n) return 0n;
  return direction === "left" ? value << by : BigInt.asUintN(64, value) >> by;
}

const shiftInt = (value: bigint, by: bigint, direction: "left" | "right"): bigint | EvalError => {
  const shifted = shift(value, by, direction);
  return shifted instanceof EvalError ? shifted : wrapInt(shifted);
};

const shiftUint = (value: Uint, by: bigint, direction: "left" | "right"): Uint | EvalError => {
  const shifted = shift(value.value, by, direction);
  return shifted instanceof EvalError ? shifted : wrapUint(shifted);
};

const signOf = (value: bigint): bigint => (value < 0n ? -1n : value > 0n ? 1n : 0n);

export const math: readonly FunctionRow[] = [
  ...extremes("math.greatest", "max", 1, [["math.greatest(1)", "1"], ["math.greatest(1, 2.5)", "2.5"], ["math.greatest(1, 2u, 3.0)", "3.0"], ["math.greatest([1, 5, 3])", "5"], ["math.greatest(dyn([]))", "error: invalid argument"]]),
  ...extremes("math.least", "min", -1, [["math.least(-1)", "-1"], ["math.least(1, 1.0)", "1"], ["math.least(3, 2u, 1.5)", "1.5"]]),

  global("math.ceil",  "math_ceil_double",  [double], double, Math.ceil,  [["math.ceil(1.2)", "2.0"]]),
  global("math.floor", "math_floor_double", [double], double, Math.floor, [["math.floor(-1.2)", "-2.0"]]),
  global("math.round", "math_round_double", [double], double, round,      [["math.round(-1.5)", "-2.0"], ["math.round(2.5)", "3.0"], ["math.round(0.49999999999999994)", "0.0"]]),
  global("math.trunc", "math_trunc_double", [double], double, Math.trunc, [["math.trunc(-1.9)", "-1.0"]]),

  global("math.abs",  "math_abs_double", [double], double, Math.abs, [["math.abs(-1.5)", "1.5"]]),
  global("math.abs",  "math_abs_int",    [int],    int,    (x) => asInt(x < 0n ? -x : x), [["math.abs(-1)", "1"], ["math.abs(-9223372036854775808)", "error: integer overflow"]]),
  global("math.abs",  "math_abs_uint",   [uint],   uint,   (x) => x, [["math.abs(1u)", "1u"]]),
  global("math.sign", "math_sign_double", [double], double, (x) => (x === 0 ? 0 : Math.sign(x)), [["math.sign(-1.5)", "-1.0"]]),
  global("math.sign", "math_sign_int",    [int],    int,    signOf, [["math.sign(-5)", "-1"]]),
  global("math.sign", "math_sign_uint",   [uint],   uint,   (x) => new Uint(signOf(x.value)), [["math.sign(5u)", "1u"]]),
  global("math.sqrt", "math_sqrt_double", [double], double, Math.sqrt, [["math.sqrt(2.25)", "1.5"], ["math.sqrt(-1.0)", 'double("NaN")']]),
  global("math.sqrt", "math_sqrt_int",    [int],    double, (x) => Math.sqrt(Number(x)), [["math.sqrt(4)", "2.0"]]),
  global("math.sqrt", "math_sqrt_uint",   [uint],   double, (x) => Math.sqrt(Number(x.value)), [["math.sqrt(4u)", "2.0"]]),

  global("math.isInf",    "math_isInf_double",    [double], bool, (x) => Math.abs(x) === Infinity, [["math.isInf(1.0 / 0.0)", "true"]]),
  global("math.isNaN",    "math_isNaN_double",    [double], bool, (x) => Number.isNaN(x),          [["math.isNaN(0.0 / 0.0)", "true"]]),
  global("math.isFinite", "math_isFinite_double", [double], bool, (x) => Number.isFinite(x),       [["math.isFinite(1.5)", "true"]]),

  global("math.bitAnd", "math_bitAnd_int_int",   [int, int],   int,  (x, y) => x & y,                        [["math.bitAnd(6, 3)", "2"]]),
  global("math.bitAnd", "math_bitAnd_uint_uint", [uint, uint], uint, (x, y) => wrapUint(x.value & y.value),  [["math.bitAnd(6u, 3u)", "2u"]]),
  global("math.bitOr",  "math_bitOr_int_int",    [int, int],   int,  (x, y) => x | y,                        [["math.bitOr(6, 3)", "7"]]),
  global("math.bitOr",  "math_bitOr_uint_uint",  [uint, uint], uint, (x, y) => wrapUint(x.value | y.value),  [["math.bitOr(6u, 3u)", "7u"]]),
  global("math.bitXor", "math_bitXor_int_int",   [int, int],   int,  (x, y) => x ^ y,                        [["math.bitXor(6, 3)", "5"]]),
  global("math.bitXor", "math_bitXor_uint_uint", [uint, uint], uint, (x, y) => wrapUint(x.value ^ y.value),  [["math.bitXor(6u, 3u)", "5u"]]),
  global("math.bitNot", "math_bitNot_int_int",   [int],        int,  (x) => ~x,                              [["math.bitNot(1)", "-2"]]),
  global("math.bitNot", "math_bitNot_uint_uint", [uint],       uint, (x) => wrapUint(~x.value),              [["math.bitNot(1u)", "18446744073709551614u"]]),
  global("math.bitShiftLeft",  "math_bitShiftLeft_int_int",   [int, int],  int,  (x, by) => shiftInt(x, by, "left"),   [["math.bitShiftLeft(1, 63)", "-9223372036854775808"], ["math.bitShiftLeft(1, 64)", "0"], ["math.bitShiftLeft(1, -1)", "error: invalid argument"]]),
  global("math.bitShiftLeft",  "math_bitShiftLeft_uint_int",  [uint, int], uint, (x, by) => shiftUint(x, by, "left"),  [["math.bitShiftLeft(1u, 2)", "4u"]]),
  global("math.bitShiftRight", "math_bitShiftRight_int_int",  [int, int],  int,  (x, by) => shiftInt(x, by, "right"),  [["math.bitShiftRight(-1024, 3)", "2305843009213693824"]]),
  global("math.bitShiftRight", "math_bitShiftRight_uint_int", [uint, int], uint, (x, by) => shiftUint(x, by, "right"), [["math.bitShiftRight(8u, 2)", "2u"]]),
];
