/** The operators, under their CEL names (`_+_`). */
import {
  addInt, addUint, divideInt, divideUint, moduloInt, moduloUint, multiplyInt, multiplyUint, negateInt, subtractInt, subtractUint,
} from "../arithmetic.ts";
import { index, isIn } from "../access.ts";
import { global, type FunctionRow } from "../declare.ts";
import { addDurations, subtractDurations } from "../duration.ts";
import { equal } from "../equal.ts";
import type { EvalError } from "../error.ts";
import { longestList, longestText, tooLong } from "../limits.ts";
import { and, not, or } from "../logic.ts";
import { earlier, later, timeBetween } from "../timestamp.ts";
import { bool, bytes, double, duration, int, listOf, mapOf, parameter, string, timestamp, uint } from "../type.ts";
import type { Value } from "../value.ts";

const a = parameter("A");
const b = parameter("B");

const concatText = (left: string, right: string): string | EvalError =>
  left.length + right.length > longestText ? tooLong("string") : left + right;

const concatLists = (left: readonly Value[], right: readonly Value[]): readonly Value[] | EvalError =>
  left.length + right.length > longestList ? tooLong("list") : [...left, ...right];

function concatBytes(left: Uint8Array, right: Uint8Array): Uint8Array | EvalError {
  if (left.length + right.length > longestText) return tooLong("bytes");
  const joined = new Uint8Array(left.length + right.length);
  joined.set(left);
  joined.set(right, left.length);
  return joined;
}

const arithmetic: readonly FunctionRow[] = [
  global("_+_", "add_bytes",              [bytes, bytes],         bytes,     concatBytes, [['b"a" + b"\\x00"', 'b"a\\x00"']]),
  global("_+_", "add_double",             [double, double],       double,    (x, y) => x + y, [["1.5 + 2.0", "3.5"]]),
  global("_+_", "add_duration_duration",  [duration, duration],   duration,  addDurations,
    [['duration("1h") + duration("1m")', 'duration("3660s")'], ['duration("2562047h") + duration("2562047h")', "error: integer overflow"]]),
  global("_+_", "add_duration_timestamp", [duration, timestamp],  timestamp, (x, y) => later(y, x),
    [['duration("1h") + timestamp("2024-01-01T00:00:00Z")', 'timestamp("2024-01-01T01:00:00Z")']]),
  global("_+_", "add_timestamp_duration", [timestamp, duration],  timestamp, later,
    [['timestamp("9999-12-31T23:59:59Z") + duration("1h")', "error: out of range"]]),
  global("_+_", "add_int64",              [int, int],             int,       addInt,
    [["1 + 2", "3"], ["9223372036854775807 + 1", "error: integer overflow"]]),
  global("_+_", "add_list",               [listOf(a), listOf(a)], listOf(a), concatLists, [["[1] + [2, 3]", "[1, 2, 3]"]]),
  global("_+_", "add_string",             [string, string],       string,    concatText, [['"a" + "b"', '"ab"']]),
  global("_+_", "add_uint64",             [uint, uint],           uint,      addUint,
    [["1u + 2u", "3u"], ["18446744073709551615u + 1u", "error: integer overflow"]]),

  global("_-_", "subtract_double",              [double, double],       double,    (x, y) => x - y, [["1.5 - 2.0", "-0.5"]]),
  global("_-_", "subtract_duration_duration",   [duration, duration],   duration,  subtractDurations,
    [['duration("1m") - duration("1h")', 'duration("-3540s")']]),
  global("_-_", "subtract_int64",               [int, int],             int,       subtractInt,
    [["1 - 2", "-1"], ["-9223372036854775808 - 1", "error: integer overflow"]]),
  global("_-_", "subtract_timestamp_duration",  [timestamp, duration],  timestamp, earlier,
    [['timestamp("2024-03-01T00:00:00Z") - duration("24h")', 'timestamp("2024-02-29T00:00:00Z")']]),
  global("_-_", "subtract_timestamp_timestamp", [timestamp, timestamp], duration,  (x, y) => timeBetween(y, x),
    [['timestamp("2024-01-01T00:00:01.5Z") - timestamp("2024-01-01T00:00:00Z")', 'duration("1.5s")']]),
  global("_-_", "subtract_uint64",              [uint, uint],           uint,      subtractUint,
    [["2u - 1u", "1u"], ["1u - 2u", "error: integer overflow"]]),

  global("_*_", "multiply_double", [double, double], double, (x, y) => x * y, [["1.5 * 2.0", "3.0"]]),
  global("_*_", "multiply_int64",  [int, int],       int,    multiplyInt,
    [["3 * -4", "-12"], ["4611686018427387904 * 2", "error: integer overflow"]]),
  global("_*_", "multiply_uint64", [uint, uint],     uint,   multiplyUint,
    [["3u * 4u", "12u"], ["9223372036854775808u * 2u", "error: integer overflow"]]),

  global("_/_", "divide_double", [double, double], double, (x, y) => x / y, [["5.0 / 2.0", "2.5"], ["1.0 / 0.0", 'double("Infinity")']]),
  global("_/_", "divide_int64",  [int, int],       int,    divideInt,
    [["-5 / 2", "-2"], ["1 / 0", "error: division by zero"], ["-9223372036854775808 / -1", "error: integer overflow"]]),
  global("_/_", "divide_uint64", [uint, uint],     uint,   divideUint, [["5u / 2u", "2u"], ["1u / 0u", "error: division by zero"]]),

  global("_%_", "modulo_int64",  [int, int],   int,  moduloInt,
    [["5 % -3", "2"], ["-5 % 3", "-2"], ["1 % 0", "error: modulus by zero"], ["-9223372036854775808 % -1", "error: integer overflow"]]),
  global("_%_", "modulo_uint64", [uint, uint], uint, moduloUint, [["5u % 3u", "2u"], ["1u % 0u", "error: modulus by zero"]]),

  global("-_", "negate_double", [double], double, (x) => -x, [["-(1.5)", "-1.5"]]),
  global("-_", "negate_int64",  [int],    int,    negateInt, [["-(5)", "-5"], ["-(-9223372036854775808)", "error: integer overflow"]]),
];

const relations: readonly FunctionRow[] = [
  global("_==_", "equals",     [a, a], bool, (x, y) => equal(x, y),
    [["1 == 1", "true"], ["dyn(1) == 1.0", "true"], ['dyn(1) == "1"', "false"], ["[1, 2] == [1, 2]", "true"],
      ["9223372036854775807 == dyn(9223372036854775808.0)", "true"], ['double("NaN") == double("NaN")', "false"]]),
  global("_!=_", "not_equals", [a, a], bool, (x, y) => !equal(x, y), [["1 != 2", "true"], ['dyn(1) != "1"', "true"]]),
  global("@in", "in_list", [a, listOf(a)],   bool, (x, list) => isIn(x, list), [["1 in [1, 2]", "true"], ["dyn(1) in [1.0]", "true"]]),
  global("@in", "in_map",  [a, mapOf(a, b)], bool, (x, map) => isIn(x, map),   [['"a" in {"a": 1}', "true"], ['dyn(1) in {"1": 1}', "false"]]),
  global("_[_]", "index_list", [listOf(a), int],  a, index,
    [["[1, 2][1]", "2"], ["[1, 2][dyn(1.0)]", "2"], ["[1, 2][2]", "error: index out of bounds"], ["[1][dyn(0.5)]", "error: invalid argument"]]),
  global("_[_]", "index_map",  [mapOf(a, b), a],  b, index,
    [['{"a": 1}["a"]', "1"], ["{1: 2}[dyn(1.0)]", "2"], ['{"a": 1}["b"]', "error: no such key"]]),
];

// The interpreter and generated code implement these with short-circuit evaluation; the rows only declare their
// types.
const logic: readonly FunctionRow[] = [
  global("!_",     "logical_not", [bool],       bool, (x) => not(x), [["!true", "false"], ["!dyn(1)", "error: no such overload"]]),
  global("_&&_",   "logical_and", [bool, bool], bool, (x, y) => and([x, y]), [["true && false", "false"], ["false && 1 / 0 == 1", "false"]]),
  global("_||_",   "logical_or",  [bool, bool], bool, (x, y) => or([x, y]), [["1 / 0 == 1 || true", "true"]]),
  global("_?_:_",  "conditional", [bool, a, a], a,    (condition, x, y) => (condition ? x : y), [["true ? 1 : 1 / 0", "1"]]),
];

/** All operators except the orderings. */
export const operators: readonly FunctionRow[] = [...arithmetic, ...relations, ...logic];
