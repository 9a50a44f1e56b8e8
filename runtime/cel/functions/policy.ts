/** The policy library: lists as sets, IP addresses, and the time of the request. */
import { global, method, type Example, type FunctionRow } from "../declare.ts";
import { makeDuration } from "../duration.ts";
import { evalError, type EvalError } from "../error.ts";
import { membership } from "../membership.ts";
import { contains, parseAddress, parseRange } from "../network-address.ts";
import { bool, duration, dyn, listOf, parameter, string, timestamp, type Type } from "../type.ts";
import { Duration, type Timestamp, type Value } from "../value.ts";

type Values = readonly Value[];

const list = listOf(parameter("A"));

/** Returns the two lists, the shorter one first; the left one if equally long. */
const byLength = (left: Values, right: Values): readonly [Values, Values] => (left.length > right.length ? [right, left] : [left, right]);

const hasIntersection = (left: Values, right: Values): boolean => {
  const [short, long] = byLength(left, right);
  return short.some(membership(long, short.length));
};

/** The common elements, in the order of the shorter list. */
const intersect = (left: Values, right: Values): Values => {
  const [short, long] = byLength(left, right);
  return short.filter(membership(long, short.length));
};

const except = (left: Values, right: Values): Values => {
  const taken = membership(right, left.length);
  return left.filter((value) => !taken(value));
};

const isSubset = (left: Values, right: Values): boolean => left.every(membership(right, left.length));

const longest = new Duration(9_223_372_036, 854_775_807);
const longestBack = new Duration(-9_223_372_037, 145_224_192);

/** The time since an instant. As in Go, a duration beyond int64 nanoseconds is clamped to the largest. */
function timeSince(at: Timestamp, now: Timestamp): Duration {
  const span = makeDuration(now.seconds - at.seconds, now.nanos - at.nanos);
  return span instanceof Duration ? span : now.seconds > at.seconds ? longest : longestBack;
}

function inRange(text: string, rangeText: string): boolean | EvalError {
  const address = parseAddress(text);
  if (address === undefined) return evalError("invalid argument", `invalid IP address: ${text}`);
  const range = parseRange(rangeText);
  return range === undefined ? evalError("invalid argument", `invalid CIDR address: ${rangeText}`) : contains(range, address);
}

type SetRow = readonly [name: string, result: Type, meaning: (left: Values, right: Values) => Value, examples: readonly Example[]];

const sets: readonly SetRow[] = [
  ["except",           list, except,          [["except([1, 2, 2], [1])", "[2, 2]"], ["[1, 2].except([])", "[1, 2]"]]],
  ["hasIntersection",  bool, hasIntersection, [['hasIntersection(["a"], ["b", "a"])', "true"], ["[].hasIntersection([])", "false"], ["[1].hasIntersection(dyn([1.0]))", "true"]]],
  ["has_intersection", bool, hasIntersection, [['has_intersection(["a"], ["b"])', "false"], ['["a"].has_intersection(["a"])', "true"]]],
  ["intersect",        list, intersect,       [["intersect([1, 2, 3, 4], [3, 1])", "[3, 1]"], ["[1, 2].intersect([2, 1])", "[1, 2]"]]],
  ["isSubset",         bool, isSubset,        [["[1, 1].isSubset([1])", "true"], ["isSubset([], [1])", "true"]]],
  ["is_subset",        bool, isSubset,        [["is_subset([1, 2], [1])", "false"], ["[].is_subset([])", "true"]]],
];

/** Each set function as a method and as a global function, and the other functions. */
export const policy: readonly FunctionRow[] = [
  ...sets.flatMap(([name, result, meaning, examples]) => [
    global(name, `${name}_overload`,        [list, list], result, (left, right) => meaning(left, right), examples.filter(([text]) => text.startsWith(name))),
    method(name, `${name}_member_overload`, [list, list], result, (left, right) => meaning(left, right), examples.filter(([text]) => !text.startsWith(name))),
  ]),
  method("inIPAddrRange", "inIPAddrRange_string", [string, string], bool, inRange,
    [['"10.1.2.3".inIPAddrRange("10.0.0.0/8")', "true"], ['"::ffff:10.1.2.3".inIPAddrRange("10.0.0.0/8")', "true"], ['"10.1.2.3".inIPAddrRange("2001:db8::/32")', "false"],
      ['"10.1.2".inIPAddrRange("10.0.0.0/8")', "error: invalid argument"], ['"10.1.2.3".inIPAddrRange("10.0.0.0")', "error: invalid argument"]]),
  global("now",       "now",                       [],          timestamp, ({ now }) => now, [["now() == now()", "true"]]),
  global("timeSince", "timeSince_overload",        [timestamp], duration,  (at, { now }) => timeSince(at, now), [["timeSince(now())", 'duration("0s")']]),
  method("timeSince", "timeSince_member_overload", [timestamp], duration,  (at, { now }) => timeSince(at, now),
    [['(now() - duration("1h")).timeSince()', 'duration("3600s")'], ['timestamp("0001-01-01T00:00:00Z").timeSince() == duration("9223372036854775807ns")', "true"]]),
  global("id",        "id_overload",               [dyn],       dyn,       (x) => x, [["id(5) == 5", "true"]]),
];
