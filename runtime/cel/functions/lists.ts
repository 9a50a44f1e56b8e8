/** Lists: slices, flattening, ranges, sorting; and lists as sets. */
import { global, method, type Example, type FunctionRow } from "../declare.ts";
import { evalError, type EvalError } from "../error.ts";
import { isList } from "../kind.ts";
import { longestList, tooLong } from "../limits.ts";
import { distinct, membership } from "../membership.ts";
import { optionalOf } from "../optional.ts";
import { sortByKeys } from "../sort.ts";
import { bool, bytes, double, duration, dyn, int, listOf, optionalOf as optionalType, parameter, string, timestamp, uint } from "../type.ts";
import type { Value } from "../value.ts";
import { work } from "../work.ts";

type Values = readonly Value[];

const t = parameter("T");
const list = listOf(t);

function slice(values: Values, start: bigint, end: bigint): Values | EvalError {
  if (start < 0n || end < 0n) return evalError("out of range", `cannot slice(${start}, ${end}): negative indexes not supported`);
  if (start > end) return evalError("out of range", `cannot slice(${start}, ${end}): the start is past the end`);
  if (end > BigInt(values.length)) return evalError("out of range", `cannot slice(${start}, ${end}): the list has ${values.length} elements`);
  return values.slice(Number(start), Number(end));
}

function flatten(values: Values, depth: bigint): Values | EvalError {
  if (depth < 0n) return evalError("invalid argument", "level must be non-negative");
  // No list is nested deeper than this, so a larger depth makes no difference.
  const flat = flattenTo(values, depth > 10_000n ? 10_000 : Number(depth));
  return flat.length > longestList ? tooLong("list") : flat;
}

function flattenTo(values: Values, depth: number): Values {
  if (depth === 0) return values;
  const flat = values.flatMap((value) => (isList(value) ? flattenTo(value, depth - 1) : [value]));
  work(32 + 8 * flat.length);
  return flat;
}

const range = (count: bigint): Values | EvalError =>
  count > BigInt(longestList) ? tooLong("list") : Array.from({ length: Math.max(0, Number(count)) }, (_, i) => BigInt(i));

/** Sample lists of each type that has an order, unsorted and sorted. */
const sortable: readonly (readonly [type: typeof int | typeof uint | typeof double | typeof bool | typeof duration | typeof timestamp | typeof string | typeof bytes, examples: readonly Example[]])[] = [
  [int,       [["[3, 1, 2].sort()", "[1, 2, 3]"], ['dyn([1, "a"]).sort()', "error: invalid argument"], ["dyn([1, 2.0]).sort()", "error: invalid argument"]]],
  [uint,      [["[3u, 1u].sort()", "[1u, 3u]"]]],
  [double,    [["[1.5, -0.5].sort()", "[-0.5, 1.5]"]]],
  [bool,      [["[true, false].sort()", "[false, true]"]]],
  [duration,  [['[duration("1h"), duration("-1s")].sort()', '[duration("-1s"), duration("3600s")]']]],
  [timestamp, [["[timestamp(1), timestamp(0)].sort() == [timestamp(0), timestamp(1)]", "true"]]],
  [string,    [['["b", "a"].sort()', '["a", "b"]']]],
  [bytes,     [['[b"b", b"a"].sort()', '[b"a", b"b"]']]],
];

const sorts: readonly FunctionRow[] = sortable.map(([type, examples]) =>
  method("sort", `list_${type.kind}_sort`, [listOf(type)], listOf(type), (values) => sortByKeys(values, values), examples));

const contains = (all: Values, some: Values): boolean => some.every(membership(all, some.length));

export const lists: readonly FunctionRow[] = [
  method("slice",    "list_slice",        [list, int, int],      list,         (values, start, end) => slice(values, start, end),
    [["[1, 2, 3, 4].slice(1, 3)", "[2, 3]"], ["[1].slice(0, 2)", "error: out of range"]]),
  method("flatten",  "list_flatten",      [listOf(list)],        list,         (values) => flatten(values, 1n), [["[[1], [2, 3]].flatten()", "[1, 2, 3]"]]),
  method("flatten",  "list_flatten_int",  [listOf(dyn), int],    listOf(dyn),  (values, depth) => flatten(values, depth),
    [["[1, [2, [3, [4]]]].flatten(2)", "[1, 2, 3, [4]]"], ["[[1]].flatten(-1)", "error: invalid argument"]]),
  global("lists.range", "lists_range",    [int],                 listOf(int),  range, [["lists.range(3)", "[0, 1, 2]"], ["lists.range(-1)", "[]"]]),
  method("distinct", "list_distinct",     [list],                list,         distinct, [["[1, 2, 1].distinct()", "[1, 2]"], ["[1, dyn(1.0)].distinct()", "[1]"]]),
  method("reverse",  "list_reverse",      [list],                list,         (values) => values.toReversed(), [["[1, 2].reverse()", "[2, 1]"]]),
  ...sorts,
  method("first",    "list_first",        [list],                optionalType(t), (values) => optionalOf(values[0]), [["[1, 2].first()", "optional.of(1)"], ["[].first()", "optional.none()"]]),
  method("last",     "list_last",         [list],                optionalType(t), (values) => optionalOf(values.at(-1)), [["[1, 2].last().value()", "2"]]),

  global("sets.contains",   "list_sets_contains_list",   [list, list], bool, (all, some) => contains(all, some), [["sets.contains([1, 2], [2, 2])", "true"], ["sets.contains([], [1])", "false"]]),
  global("sets.equivalent", "list_sets_equivalent_list", [list, list], bool, (a, b) => contains(a, b) && contains(b, a), [["sets.equivalent([1, 2], [2, 1, 1])", "true"]]),
  global("sets.intersects", "list_sets_intersects_list", [list, list], bool, (a, b) => b.some(membership(a, b.length)), [["sets.intersects([1], [1, 2])", "true"], ["sets.intersects([], [])", "false"]]),
];
