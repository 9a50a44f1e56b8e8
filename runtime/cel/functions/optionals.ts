/** Functions on optional values. The syntax `.?` and `[?]` is implemented by the interpreter. */
import { find, index } from "../access.ts";
import { global, method, type FunctionRow } from "../declare.ts";
import { equal } from "../equal.ts";
import { evalError, type EvalError } from "../error.ts";
import { isList, isMap } from "../kind.ts";
import { mapSize } from "../map.ts";
import { none, Optional, optionalOf } from "../optional.ts";
import { bool, dyn, int, listOf, mapOf, optionalOf as optionalType, parameter, string } from "../type.ts";
import { Duration, Timestamp, Uint, type Opaque, type Value } from "../value.ts";

const v = parameter("V");
const k = parameter("K");
const optional = optionalType(v);

const absent = evalError("invalid argument", "optional.none() dereference");

// The dispatch guarantees the class; the type system does not know it.
const valueOf = (opaque: Opaque): Value | undefined => (opaque instanceof Optional ? opaque.value : undefined);

/** 0001-01-01T00:00:00Z. */
const yearOne = -62_135_596_800;

/** Whether a value is the zero value of its type: zero, empty, 0001-01-01T00:00:00Z, false, null and none. */
function isZero(value: Value): boolean {
  if (isList(value) || value instanceof Uint8Array) return value.length === 0;
  if (isMap(value)) return mapSize(value) === 0;
  if (value instanceof Optional) return value.value === undefined;
  if (value instanceof Duration) return value.seconds === 0 && value.nanos === 0;
  // Go's zero time is the beginning of year 1.
  if (value instanceof Timestamp) return value.seconds === yearOne && value.nanos === 0;
  return value === null || value === false || value === "" || equal(value, value instanceof Uint ? new Uint(0n) : 0n);
}

/** The values of the optionals that have one. */
function unwrap(list: readonly Value[]): readonly Value[] | EvalError {
  const kept: Value[] = [];
  for (const element of list) {
    if (!(element instanceof Optional)) return evalError("no such overload");
    if (element.value !== undefined) kept.push(element.value);
  }
  return kept;
}

export const optionals: readonly FunctionRow[] = [
  global("optional.of",             "optional_of",             [v], optional, (x) => optionalOf(x), [["optional.of(1).value()", "1"]]),
  global("optional.ofNonZeroValue", "optional_ofNonZeroValue", [v], optional, (x) => (isZero(x) ? none : optionalOf(x)),
    [['optional.ofNonZeroValue("")', "optional.none()"], ["optional.ofNonZeroValue(1)", "optional.of(1)"], ["optional.ofNonZeroValue(timestamp(0)).hasValue()", "true"],
      ['optional.ofNonZeroValue(timestamp("0001-01-01T00:00:00Z")).hasValue()', "false"]]),
  global("optional.none",           "optional_none",           [],  optional, () => none, [["optional.none().hasValue()", "false"]]),
  method("hasValue", "optional_hasValue",       [optional],           bool,     (x) => valueOf(x) !== undefined, [["optional.of(null).hasValue()", "true"]]),
  method("value",    "optional_value",          [optional],           v,        (x) => { const value = valueOf(x); return value === undefined ? absent : value; },
    [["optional.none().value()", "error: invalid argument"]]),
  method("or",       "optional_or_optional",    [optional, optional], optional, (x, y) => (valueOf(x) === undefined ? y : x),
    [["optional.none().or(optional.of(1))", "optional.of(1)"], ["optional.of(1).or(optional.of(1 / 0))", "optional.of(1)"]]),
  method("orValue",  "optional_orValue_value",  [optional, v],        v,        (x, y) => { const value = valueOf(x); return value === undefined ? y : value; },
    [['{"a": 1}.?b.orValue(2)', "2"], ['{"a": 1}.?a.orValue(1 / 0)', "1"]]),
  global("optional.unwrap", "optional_unwrap",    [listOf(optional)], listOf(v), unwrap, [["optional.unwrap([optional.of(1), optional.none()])", "[1]"]]),
  method("unwrapOpt",       "optional_unwrapOpt", [listOf(optional)], listOf(v), unwrap, [["[optional.none(), optional.of(2)].unwrapOpt()", "[2]"]]),

  global("_?._",   "select_optional_field",                [dyn, string],                     optionalType(v), find, [['{"a": {"b": 1}}.?a.?b', "optional.of(1)"]]),
  global("_[_]",   "optional_list_index_int",              [optionalType(listOf(v)), int],    optional, index, [["optional.of([1])[0]", "optional.of(1)"]]),
  global("_[_]",   "optional_map_index_value",             [optionalType(mapOf(k, v)), k],    optional, index, [['optional.of({"a": 1})["b"]', "optional.none()"]]),
  global("_[?_]",  "list_optindex_optional_int",           [listOf(v), int],                  optional, find, [["[1][?0]", "optional.of(1)"], ["[1][?1]", "optional.none()"]]),
  global("_[?_]",  "optional_list_optindex_optional_int",  [optionalType(listOf(v)), int],    optional, find, [["optional.of([1])[?0]", "optional.of(1)"]]),
  global("_[?_]",  "map_optindex_optional_value",          [mapOf(k, v), k],                  optional, find, [['{"a": 1}[?"b"]', "optional.none()"]]),
  global("_[?_]",  "optional_map_optindex_optional_value", [optionalType(mapOf(k, v)), k],    optional, find, [['optional.none()[?"a"]', "optional.none()"]]),
];
