/** Strings: the standard functions and the extensions. Lengths and positions count code points. */
import { method, global, type FunctionRow } from "../declare.ts";
import { formatText } from "../format.ts";
import { matchesPattern } from "../regex.ts";
import { findText } from "../search.ts";
import { charAt, indexOf, join, lastIndexOf, lowerAscii, quote, replace, reverse, split, substring, trim, upperAscii } from "../string-operations.ts";
import { bool, dyn, int, listOf, string } from "../type.ts";

const texts = listOf(string);

/** All string functions except size, format and the conversions. */
export const strings: readonly FunctionRow[] = [
  method("contains",   "contains_string",    [string, string], bool, (s, part) => findText(s, part) >= 0,     [['"hello".contains("ll")', "true"], ['"".contains("")', "true"]]),
  method("startsWith", "starts_with_string", [string, string], bool, (s, start) => s.startsWith(start), [['"hello".startsWith("he")', "true"], ['"".startsWith("he")', "false"]]),
  method("endsWith",   "ends_with_string",   [string, string], bool, (s, end) => s.endsWith(end),       [['"hello".endsWith("lo")', "true"]]),
  global("matches",    "matches",            [string, string], bool, (s, pattern) => matchesPattern(s, pattern),
    [['matches("foobar", "o+b")', "true"], ['matches("a", dyn("("))', "error: invalid argument"]]),
  method("matches",    "matches_string",     [string, string], bool, (s, pattern) => matchesPattern(s, pattern),
    [['"foobar".matches("^o+b")', "false"], ['"FOO".matches("(?i)^foo$")', "true"]]),

  method("charAt",      "string_char_at_int",               [string, int],         string, (s, i) => charAt(s, i),
    [['"h\u{1F600}i".charAt(1)', '"\u{1F600}"'], ['"hi".charAt(2)', '""'], ['"hi".charAt(3)', "error: out of range"]]),
  method("indexOf",     "string_index_of_string",           [string, string],      int, (s, part) => indexOf(s, part),
    [['"hello".indexOf("l")', "2"], ['"hello".indexOf("x")', "-1"]]),
  method("indexOf",     "string_index_of_string_int",       [string, string, int], int, (s, part, from) => indexOf(s, part, from),
    [['"hello".indexOf("l", 3)', "3"], ['"hello".indexOf("l", 10)', "-1"], ['"hello".indexOf("l", -1)', "error: out of range"]]),
  method("lastIndexOf", "string_last_index_of_string",      [string, string],      int, (s, part) => lastIndexOf(s, part),
    [['"hello".lastIndexOf("l")', "3"], ['"hello".lastIndexOf("")', "5"]]),
  method("lastIndexOf", "string_last_index_of_string_int",  [string, string, int], int, (s, part, from) => lastIndexOf(s, part, from),
    [['"hello".lastIndexOf("l", 2)', "2"], ['"hello".lastIndexOf("l", 10)', "-1"]]),
  method("substring",   "string_substring_int",             [string, int],         string, (s, start) => substring(s, start),
    [['"hello".substring(3)', '"lo"'], ['"hello".substring(6)', "error: out of range"]]),
  method("substring",   "string_substring_int_int",         [string, int, int],    string, (s, start, end) => substring(s, start, end),
    [['"hello".substring(1, 3)', '"el"'], ['"hello".substring(3, 1)', "error: out of range"]]),

  method("lowerAscii", "string_lower_ascii", [string], string, lowerAscii, [['"AÉ".lowerAscii()', '"aÉ"']]),
  method("upperAscii", "string_upper_ascii", [string], string, upperAscii, [['"aé".upperAscii()', '"Aé"']]),
  method("trim",       "string_trim",        [string], string, trim,       [['" \\u00a0a b\\n".trim()', '"a b"']]),
  method("reverse",    "string_reverse",     [string], string, reverse,    [['"a\u{1F600}b".reverse()', '"b\u{1F600}a"']]),

  method("replace", "string_replace_string_string",     [string, string, string],      string, (s, part, by) => replace(s, part, by),
    [['"hello".replace("l", "L")', '"heLLo"'], ['"ab".replace("", "-")', '"-a-b-"']]),
  method("replace", "string_replace_string_string_int", [string, string, string, int], string, (s, part, by, most) => replace(s, part, by, most),
    [['"hello".replace("l", "L", 1)', '"heLlo"'], ['"hello".replace("", "-", 2)', '"-h-ello"'], ['"hello".replace("l", "", 0)', '"hello"']]),
  method("split",   "string_split_string",              [string, string],              texts,  (s, separator) => split(s, separator),
    [['"a,b".split(",")', '["a", "b"]'], ['"ab".split("")', '["a", "b"]'], ['"".split(",")', '[""]']]),
  method("split",   "string_split_string_int",          [string, string, int],         texts,  (s, separator, most) => split(s, separator, most),
    [['"a,b,c".split(",", 2)', '["a", "b,c"]'], ['"a,b".split(",", 0)', "[]"], ['"a,b".split(",", -1)', '["a", "b"]']]),
  method("join",    "list_join",                        [texts],                       string, (list) => join(list), [['["a", "b"].join()', '"ab"']]),
  method("join",    "list_join_string",                 [texts, string],               string, (list, separator) => join(list, separator),
    [['["a", "b"].join("-")', '"a-b"'], ['dyn(["a", 1]).join("-")', "error: no such overload"]]),

  method("format", "string_format", [string, listOf(dyn)], string, (format, args) => formatText(format, args),
    [['"%s is %d, %.2f".format(["a", 5, 1.005])', '"a is 5, 1.00"'], ['"%x %X %o %b".format([30, "hi", 8, true])', '"1e 6869 10 1"'], ['"%e%%".format([1052.0])', '"1.052000e+03%"'],
      ['"%s".format([{"b": 1, "a": [null, 2.0]}])', '"{a: [null, 2], b: 1}"'], ['dyn("%d").format([])', "error: invalid argument"]]),

  global("strings.quote", "strings_quote", [string], string, quote, [['strings.quote("a\\n\\"b\\"")', '"\\"a\\\\n\\\\\\"b\\\\\\"\\""']]),
];
