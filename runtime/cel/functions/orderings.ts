/** `<`, `<=`, `>` and `>=` for every pair of types that has an order, including numbers of different types. */
import { compare, unordered } from "../compare.ts";
import { global, type Example, type FunctionRow } from "../declare.ts";
import { EvalError } from "../error.ts";
import { bool, bytes, double, duration, int, string, timestamp, uint, type Type } from "../type.ts";
import type { Value } from "../value.ts";

const relations: readonly (readonly [operator: string, id: string, holds: (order: -1 | 0 | 1) => boolean])[] = [
  ["_<_",  "less",           (order) => order < 0],
  ["_<=_", "less_equals",    (order) => order <= 0],
  ["_>_",  "greater",        (order) => order > 0],
  ["_>=_", "greater_equals", (order) => order >= 0],
];

/** Two types, with an example where the left side is less and one where it is greater; `?` stands for the operator. */
type Pair = readonly [suffix: string, left: Type, right: Type, less: string, more: string, others?: readonly Example[]];

// For an argument of unknown type the checker picks the first pair that fits.
const pairs: readonly Pair[] = [
  ["bool",          bool,      bool,      "false ? true",                    "true ? false",                     [["true <= true", "true"], ["true > true", "false"]]],
  ["int64",         int,       int,       "1 ? 2",                           "3 ? 2",                            [["2 >= 2", "true"]]],
  ["int64_double",  int,       double,    "1 ? 1.5",                         "2 ? 1.5",                          [["9223372036854775807 < 9223372036854775808.0", "false"]]],
  ["int64_uint64",  int,       uint,      "-1 ? 0u",                         "1 ? 0u",                           [["9223372036854775807 < 9223372036854775808u", "true"]]],
  ["uint64",        uint,      uint,      "1u ? 2u",                         "3u ? 2u",                          [["2u <= 2u", "true"]]],
  ["uint64_double", uint,      double,    "1u ? 1.5",                        "2u ? 1.5"],
  ["uint64_int64",  uint,      int,       "1u ? 2",                          "3u ? 2",                           [["18446744073709551615u > 9223372036854775807", "true"], ["0u >= -1", "true"]]],
  ["double",        double,    double,    "1.0 ? 1.5",                       "2.5 ? 1.5",                        [['double("NaN") < 1.0', "error: invalid argument"], ["-0.0 < 0.0", "false"]]],
  ["double_int64",  double,    int,       "0.5 ? 1",                         "1.5 ? 1",                          [["9007199254740992.0 < 9007199254740993", "false"]]],
  ["double_uint64", double,    uint,      "0.5 ? 1u",                        "1.5 ? 1u",                         [["-1.0 < 0u", "true"]]],
  ["string",        string,    string,    '"a" ? "b"',                       '"ba" ? "b"',                       [['"\\U0001F600" > "\\uFFFF"', "true"], ['"Z" < "a"', "true"]]],
  ["bytes",         bytes,     bytes,     'b"a" ? b"aa"',                    'b"b" ? b"aa"',                     [['b"" < b"\\x00"', "true"]]],
  ["timestamp",     timestamp, timestamp, "timestamp(0) ? timestamp(1)",     "timestamp(2) ? timestamp(1)",      [['timestamp("2024-01-01T00:00:00Z") < timestamp("2024-01-01T00:00:00.1Z")', "true"], ['timestamp("2024-01-01T01:00:00+01:00") < timestamp("2024-01-01T00:00:01Z")', "true"]]],
  ["duration",      duration,  duration,  'duration("1m") ? duration("1h")', 'duration("61m") ? duration("1h")', [['duration("-1ns") < duration("0")', "true"]]],
];

/** The examples of one operator for one pair of types. */
function examplesOf(operator: string, [, , , less, more, others = []]: Pair): readonly Example[] {
  const sign = operator.slice(1, -1);
  return [[(sign.startsWith("<") ? less : more).replace("?", sign), "true"], ...others.filter(([text]) => text.includes(` ${sign} `))];
}

function relate(left: Value, right: Value, holds: (order: -1 | 0 | 1) => boolean): boolean | EvalError {
  const order = compare(left, right);
  return order instanceof EvalError ? order : order === undefined ? unordered : holds(order);
}

/** The four operators for every pair. */
export const orderings: readonly FunctionRow[] = relations.flatMap(([operator, id, holds]) =>
  pairs.map((pair) =>
    global(operator, `${id}_${pair[0]}`, [pair[1], pair[2]], bool, (x, y) => relate(x, y, holds), examplesOf(operator, pair))));
