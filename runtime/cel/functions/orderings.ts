/** `<`, `<=`, `>` and `>=`: every pair of kinds that has an order, numbers of different kinds included. */
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

const pairs: readonly (readonly [suffix: string, left: Type, right: Type, examples: readonly Example[]])[] = [
  ["bool",          bool,      bool,      [["false < true", "true"], ["true <= true", "true"]]],
  ["bytes",         bytes,     bytes,     [['b"a" < b"aa"', "true"]]],
  ["double",        double,    double,    [["1.0 < 1.5", "true"], ['double("NaN") < 1.0', "error: invalid argument"]]],
  ["double_int64",  double,    int,       [["1.5 > 1", "true"]]],
  ["double_uint64", double,    uint,      [["1.5 > 1u", "true"]]],
  ["duration",      duration,  duration,  [['duration("1m") < duration("1h")', "true"]]],
  ["int64",         int,       int,       [["1 < 2", "true"], ["2 >= 2", "true"]]],
  ["int64_double",  int,       double,    [["1 < 1.5", "true"], ["9223372036854775807 < 9223372036854775808.0", "false"]]],
  ["int64_uint64",  int,       uint,      [["-1 < 0u", "true"]]],
  ["string",        string,    string,    [['"a" < "b"', "true"], ['"\\U0001F600" > "\\uFFFF"', "true"]]],
  ["timestamp",     timestamp, timestamp, [['timestamp("2024-01-01T00:00:00Z") < timestamp("2024-01-01T00:00:00.1Z")', "true"]]],
  ["uint64",        uint,      uint,      [["1u <= 2u", "true"]]],
  ["uint64_double", uint,      double,    [["1u < 1.5", "true"]]],
  ["uint64_int64",  uint,      int,       [["18446744073709551615u > 9223372036854775807", "true"]]],
];

function relate(left: Value, right: Value, holds: (order: -1 | 0 | 1) => boolean): boolean | EvalError {
  const order = compare(left, right);
  return order instanceof EvalError ? order : order === undefined ? unordered : holds(order);
}

/** The four relations over every pair. Examples stand with the operator they use. */
export const orderings: readonly FunctionRow[] = relations.flatMap(([operator, id, holds]) =>
  pairs.map(([suffix, left, right, examples]) =>
    global(operator, `${id}_${suffix}`, [left, right], bool, (x, y) => relate(x, y, holds),
      examples.filter(([text]) => text.includes(` ${operator.slice(1, -1)} `)))));
