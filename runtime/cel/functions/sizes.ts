/** `size`: code points of a string, bytes, elements, entries. */
import { global, method, type FunctionRow } from "../declare.ts";
import { mapSize } from "../map.ts";
import { codePointCount } from "../text.ts";
import { bytes, int, listOf, mapOf, parameter, string } from "../type.ts";

const list = listOf(parameter("A"));
const map = mapOf(parameter("A"), parameter("B"));

/** `size(x)` and `x.size()` for each type. */
export const sizes: readonly FunctionRow[] = [
  global("size", "size_bytes",  [bytes],  int, (x) => BigInt(x.length),         [['size(b"é")', "2"]]),
  method("size", "bytes_size",  [bytes],  int, (x) => BigInt(x.length),         [['b"abc".size()', "3"]]),
  global("size", "size_list",   [list],   int, (x) => BigInt(x.length),         [["size([1, 2])", "2"]]),
  method("size", "list_size",   [list],   int, (x) => BigInt(x.length),         [["[].size()", "0"]]),
  global("size", "size_map",    [map],    int, (x) => BigInt(mapSize(x)),       [['size({"a": 1})', "1"]]),
  method("size", "map_size",    [map],    int, (x) => BigInt(mapSize(x)),       [["{}.size()", "0"]]),
  global("size", "size_string", [string], int, (x) => BigInt(codePointCount(x)), [['size("h\u{1F600}i")', "3"]]),
  method("size", "string_size", [string], int, (x) => BigInt(codePointCount(x)), [['"é".size()', "1"], ["dyn(5).size()", "error: no such overload"]]),
];
