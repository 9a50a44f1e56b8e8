/** The type names as functions: `int(x)`, `string(x)`, `timestamp(x)`, and `type(x)`, `dyn(x)`. */
import { asInt, asUint } from "../arithmetic.ts";
import { boolFromText, doubleFromText, intFromDouble, intFromText, textFromBytes, uintFromDouble, uintFromText } from "../conversion.ts";
import { global, type FunctionRow } from "../declare.ts";
import { formatDuration, totalNanos } from "../duration.ts";
import { parseDuration } from "../duration-text.ts";
import { evalError } from "../error.ts";
import { typeOfValue } from "../kind.ts";
import { shortText } from "../number-text.ts";
import { makeTimestamp } from "../timestamp.ts";
import { formatTimestamp, parseTimestamp } from "../timestamp-text.ts";
import { bool, bytes, double, duration, dyn, int, parameter, string, timestamp, typeOf, uint } from "../type.ts";
import { encodeUtf8 } from "../utf8.ts";
import { TypeValue } from "../value.ts";

const a = parameter("A");

/**
 * All conversions, grouped by result type. For an argument of unknown type the checker picks the first overload,
 * which is the identity.
 */
export const conversions: readonly FunctionRow[] = [
  global("bool", "bool_to_bool",   [bool],   bool, (x) => x, [["bool(true)", "true"]]),
  global("bool", "string_to_bool", [string], bool, boolFromText, [['bool("TRUE")', "true"], ['bool("f")', "false"], ['bool("tRUE")', "error: invalid argument"]]),

  global("bytes", "bytes_to_bytes",  [bytes],  bytes, (x) => x, [['bytes(b"a")', 'b"a"']]),
  global("bytes", "string_to_bytes", [string], bytes, encodeUtf8, [['bytes("é")', 'b"\\xc3\\xa9"']]),

  global("double", "double_to_double", [double], double, (x) => x, [["double(1.5)", "1.5"]]),
  global("double", "int64_to_double",  [int],    double, (x) => Number(x), [["double(2)", "2.0"]]),
  global("double", "string_to_double", [string], double, doubleFromText,
    [['double("1e3")', "1000.0"], ['double("NaN")', 'double("NaN")'], ['double("-inf")', 'double("-Infinity")'], ['double("1e400")', "error: invalid argument"], ['double(" 1")', "error: invalid argument"]]),
  global("double", "uint64_to_double", [uint],   double, (x) => Number(x.value), [["double(2u)", "2.0"]]),

  global("duration", "duration_to_duration", [duration], duration, (x) => x, [['duration(duration("1s"))', 'duration("1s")']]),
  // cel-go declares this overload but it always fails: the unit of the number is not defined.
  global("duration", "int64_to_duration",    [int],      duration, () => evalError("invalid argument", "type conversion error from 'int' to 'google.protobuf.Duration'"),
    [["duration(dyn(5))", "error: invalid argument"]]),
  global("duration", "string_to_duration",   [string],   duration, parseDuration,
    [['duration("1h30m")', 'duration("5400s")'], ['duration("-1.5ms")', 'duration("-0.0015s")'], ['duration("0")', 'duration("0s")'],
      ['duration(dyn("1d"))', "error: invalid argument"], ['duration(dyn("100"))', "error: invalid argument"]]),

  global("dyn", "to_dyn", [a], dyn, (x) => x, [["dyn(1)", "1"]]),

  global("int", "int64_to_int64",     [int],       int, (x) => x, [["int(1)", "1"]]),
  global("int", "double_to_int64",    [double],    int, intFromDouble, [["int(-1.9)", "-1"], ["int(1e30)", "error: integer overflow"]]),
  global("int", "duration_to_int64",  [duration],  int, totalNanos, [['int(duration("1s"))', "1000000000"]]),
  global("int", "string_to_int64",    [string],    int, intFromText, [['int("-5")', "-5"], ['int("2.9")', "error: invalid argument"]]),
  global("int", "timestamp_to_int64", [timestamp], int, (x) => BigInt(x.seconds), [['int(timestamp("1970-01-01T00:00:05.9Z"))', "5"]]),
  global("int", "uint64_to_int64",    [uint],      int, (x) => asInt(x.value), [["int(5u)", "5"], ["int(18446744073709551615u)", "error: integer overflow"]]),

  global("string", "string_to_string",    [string],    string, (x) => x, [['string("a")', '"a"']]),
  global("string", "bool_to_string",      [bool],      string, (x) => String(x), [["string(true)", '"true"']]),
  global("string", "bytes_to_string",     [bytes],     string, textFromBytes, [['string(b"a")', '"a"'], ['string(b"\\xff")', "error: invalid argument"]]),
  global("string", "double_to_string",    [double],    string, shortText,
    [["string(1000000.0)", '"1e+06"'], ["string(123456.0)", '"123456"'], ["string(0.00001)", '"1e-05"'], ["string(9007199254740992.0)", '"9.007199254740992e+15"']]),
  global("string", "duration_to_string",  [duration],  string, formatDuration, [['string(duration("1h30m0.5s"))', '"5400.5s"']]),
  global("string", "int64_to_string",     [int],       string, (x) => String(x), [["string(-5)", '"-5"']]),
  global("string", "timestamp_to_string", [timestamp], string, formatTimestamp,
    [['string(timestamp("2024-01-01T00:00:00.120+05:30"))', '"2024-01-01T00:00:00.12+05:30"']]),
  global("string", "uint64_to_string",    [uint],      string, (x) => String(x.value), [["string(5u)", '"5"']]),

  global("timestamp", "timestamp_to_timestamp", [timestamp], timestamp, (x) => x, [["timestamp(timestamp(5))", 'timestamp("1970-01-01T00:00:05Z")']]),
  global("timestamp", "int64_to_timestamp",     [int],       timestamp, (x) => makeTimestamp(Number(x), 0),
    [["timestamp(5)", 'timestamp("1970-01-01T00:00:05Z")'], ["timestamp(dyn(253402300800))", "error: out of range"]]),
  global("timestamp", "string_to_timestamp",    [string],    timestamp, parseTimestamp,
    [['timestamp("2024-02-29T00:00:00Z")', 'timestamp("2024-02-29T00:00:00Z")'], ['timestamp(dyn("2023-02-29T00:00:00Z"))', "error: invalid argument"],
      ['timestamp(dyn("2024-01-01t00:00:00z"))', "error: invalid argument"], ['timestamp(dyn("0000-01-01T00:00:00Z"))', "error: out of range"]]),

  global("type", "type", [a], typeOf(a), (x) => new TypeValue(typeOfValue(x)),
    [["type(1)", "int"], ["type([1])", "list"], ["type(type(1))", "type"], ["type(1) == int", "true"], ["type(timestamp(5)) == google.protobuf.Timestamp", "true"]]),

  global("uint", "uint64_to_uint64", [uint],   uint, (x) => x, [["uint(5u)", "5u"]]),
  global("uint", "double_to_uint64", [double], uint, uintFromDouble, [["uint(1.9)", "1u"], ["uint(-0.5)", "error: integer overflow"]]),
  global("uint", "int64_to_uint64",  [int],    uint, (x) => asUint(x), [["uint(1)", "1u"], ["uint(-1)", "error: integer overflow"]]),
  global("uint", "string_to_uint64", [string], uint, uintFromText, [['uint("5")', "5u"], ['uint("+5")', "error: invalid argument"]]),
];
