/** An error tells exactly which sub-expression failed, in which turns of which loops; and it says something that helps. */
import { wellFormed } from "../../../runtime/cel/text.ts";
import { describe as group, expect, test } from "vitest";
import { EvalError, evalError } from "../../../runtime/cel/error.ts";
import { describe } from "../../../runtime/cel/evaluate/describe.ts";
import { evaluate } from "../../../runtime/cel/evaluate/evaluate.ts";
import type { Value } from "../../../runtime/cel/value.ts";
import { context } from "./ask.ts";
import { checked, failing } from "./outcome.ts";

const x: Value = {
  text: "a",
  number: 1,
  flag: true,
  nothing: null,
  list: [1, 2, 3],
  map: { team: 1, owner: "ann" },
  deep: { a: { b: null } },
};
const people: Value = [{ name: "ann", age: 3 }, { name: "bob" }];

const int = "-9223372036854775808 to 9223372036854775807";

group.each<[string, readonly (readonly [expression: string, part: string, sentence: string])[]]>([
  [
    "a selection",
    [
      ["x.map.teem == 1", "x.map.teem", "no such key: teem; did you mean `team`?"],
      ["x.deep.b.c.d", "x.deep.b", "no such key: b"],
      ["x.deep.a.b.c == 1", "x.deep.a.b.c", "no such key: c; null has no fields"],
      ["x.text.size", "x.text.size", "no such key: size; string has no fields"],
      ["has(x.nope.a)", "x.nope", "no such key: nope"],
      ["has(x.list.a)", "has(x.list.a)", "invalid argument: unsupported index type 'string' in list"],
    ],
  ],
  [
    "an index",
    [
      ["1 + x.list[3]", "x.list[3]", "index out of bounds: 3; the list has 3 elements"],
      ["[1][-1]", "[1][-1]", "index out of bounds: -1; the list has 1 element"],
      ['x.map["ownr"]', 'x.map["ownr"]', "no such key: ownr; did you mean `owner`?"],
      ["x.map[1]", "x.map[1]", "no such key: 1; its keys are strings, this one is int"],
      ["{1: 2}[3]", "{1: 2}[3]", "no such key: 3"],
      ["x.list[1 / 0]", "1 / 0", "division by zero"],
      ["x.nope[1 / 0]", "x.nope", "no such key: nope"],
    ],
  ],
  [
    "operators and functions name what they met",
    [
      ["x.number + 1 == 2", "x.number + 1", "no such overload: double + int; a number of a request is a double"],
      ["x.text < x.number", "x.text < x.number", "no such overload: string < double"],
      ["-x.text", "-x.text", "no such overload: -string"],
      ["!x.nothing", "!x.nothing", "no such overload: !null"],
      ["x.text in x.text", "x.text in x.text", "no such overload: string in string"],
      ["x.text.startsWith(x.number)", "x.text.startsWith(x.number)", "no such overload: string.startsWith(double)"],
      ["size(x.number)", "size(x.number)", "no such overload: size(double)"],
      ["math.greatest(x.text, 1)", "math.greatest(x.text, 1)", "no such overload: math.greatest(string, int)"],
      ["1 % 0 + 1 / 0", "1 % 0", "modulus by zero"],
      ["1 / 0 == x.nope", "1 / 0", "division by zero"],
      ["9223372036854775807 + 1", "9223372036854775807 + 1", `integer overflow; an int is ${int}`],
      ["0u - 1u", "0u - 1u", "integer overflow: unsigned; a uint is 0 to 18446744073709551615"],
      ["[x.nope, 1 / 0]", "x.nope", "no such key: nope"],
      ["{x.list: 1}", "{x.list: 1}", "invalid argument: unsupported key type 'list'"],
    ],
  ],
  [
    "conversions tell what they could not read",
    [
      [
        "int(x.text)",
        "int(x.text)",
        `invalid argument: type conversion error from 'string' to 'int'; "a" is not a whole number from ${int}`,
      ],
      ["uint(x.number - 2.0)", "uint(x.number - 2.0)", "integer overflow: unsigned; -1.0 is outside of uint, 0 to 18446744073709551615"],
      ["int(x.number * 1e300)", "int(x.number * 1e300)", `integer overflow; 1e+300 is outside of int, ${int}`],
      ["bool(x.text)", "bool(x.text)", "invalid argument: type conversion error from 'string' to 'bool'; \"a\" is not true or false"],
      ["string(x.list)", "string(x.list)", "no such overload: string(list)"],
    ],
  ],
  [
    "logic: the first error that nothing absorbs, and the term that is no boolean",
    [
      ["1 / 0 == 1 && 1 % 0 == 1", "1 / 0", "division by zero"],
      ["x.flag && x.text && 1 / 0 == 1", "x.text", "no such overload: && takes true or false, not string"],
      ["x.nope || x.text", "x.nope", "no such key: nope"],
      ["x.text ? 1 : 2", "x.text", "no such overload: ?: takes true or false, not string"],
      ["x.flag ? x.nope : 2", "x.nope", "no such key: nope"],
    ],
  ],
  [
    "loops tell the turn",
    [
      ["people.all(p, p.age > 1)", "p.age", "no such key: age; at index 1"],
      ["people.exists(p, p.name == 'eve' || p.age == 9)", "p.age", "no such key: age; at index 1"],
      ["people.map(p, p.age)", "p.age", "no such key: age; at index 1"],
      ["people.filter(p, p.name)", "p.name", "no such overload: filter takes true or false, not string; at index 0"],
      ["people.map(p, x.list.map(n, n + p.age))", "p.age", "no such key: age; at index 1, index 0"],
      ["x.map.all(k, k + 1 == 2)", "k + 1", 'no such overload: string + int; at key "team"'],
      ["x.map.transformMap(k, v, v + 1.0)", "v + 1.0", 'no such overload: string + double; at key "owner"'],
      ["x.text.all(e, true)", "x.text", "no such overload: the range is neither a list nor a map; this one is string"],
      ["x.nope.all(e, true)", "x.nope", "no such key: nope"],
      ["[1, 1].transformMapEntry(i, v, {v: i})", "{v: i}", "invalid argument: insert failed: the key already exists; at index 1"],
      ["people.sortBy(p, p.age)", "p.age", "no such key: age; at index 1"],
    ],
  ],
  [
    "bind fails where its value does, when it is read",
    [
      ["cel.bind(y, 1 / 0, 1 % 0 == y)", "1 % 0", "modulus by zero"],
      ["cel.bind(y, 1 / 0, true && y == 1)", "1 / 0", "division by zero"],
      ["cel.bind(y, x.nope, y == 1 || y == 2)", "x.nope", "no such key: nope"],
      ["cel.bind(y, x.nope, x.list.all(e, y == e))", "x.nope", "no such key: nope"],
      ["people.map(p, cel.bind(y, p.age, x.list.map(e, y)))", "p.age", "no such key: age; at index 1"],
      ["cel.bind(y, x.nope, x.list.all(e, cel.bind(z, y, x.list.all(i, f, z == f))))", "x.nope", "no such key: nope"],
      [
        "x.list.map(a, cel.bind(y, x.list.map(b, b.c), x.list.map(d, y)))",
        "b.c",
        "no such key: c; double has no fields; at index 0, index 0",
      ],
    ],
  ],
  [
    "optionals",
    [
      ["[?x.number]", "x.number", "no such overload: an element or entry marked ? needs an optional value; this one is double"],
      ["{?'a': x.number}", "x.number", "no such overload: an element or entry marked ? needs an optional value; this one is double"],
      ["x.number.orValue(1)", "x.number", "no such overload: orValue takes an optional, not double"],
      ["optional.none().or(x.text)", "x.text", "no such overload: or takes an optional, not string"],
      ["x.number.optMap(n, n)", "x.number", "no such overload: optMap takes an optional, not double"],
      ["x.?number.optFlatMap(n, n)", "n", "no such overload: optFlatMap takes an optional, not double"],
      ["x.?nope.value()", "x.?nope.value()", "invalid argument: optional.none() dereference"],
      ["x.?text.a", "x.?text.a", "no such key: a; string has no fields"],
    ],
  ],
])("%s", (_, rows) => {
  test.each(rows)("%s", (expression, part, sentence) => {
    expect(failing(expression, { x, people })).toEqual([part, sentence]);
  });
});

test("a pattern that cannot be used is named", () => {
  const [part, sentence] = failing("'a'.matches(p)", { p: "(" });
  expect([part, sentence]).toEqual(["'a'.matches(p)", "invalid argument: error parsing regexp: missing closing ): `(`"]);
});

test("a step too many is the loop's that took it, whatever absorbs it", () => {
  const y = Array.from({ length: 1001 }, (_, i) => i);
  expect(failing("true || y.all(a, true)", { y })).toEqual(["", "true"]);
  expect(failing("y.exists(a, y.exists(b, false)) || true", { y })).toEqual(["y.exists(b, false)", "too many steps: more than 1000000"]);
});

test("a name without a value fails where it stands", () => {
  const tree = checked("x == 1 || x == 2", { x });
  const place = (outcome: Value | EvalError): unknown =>
    outcome instanceof EvalError && outcome.place !== undefined
      ? [outcome.message, outcome.place.tree.start, outcome.place.tree.end]
      : outcome;
  expect(place(evaluate(tree, () => undefined, context))).toEqual(["no such attribute: x", 0, 1]);
  expect(place(evaluate(tree, () => evalError("division by zero"), context))).toEqual(["division by zero", 0, 1]);
  // An error that came about in another expression has its place there.
  const elsewhere = evaluate(checked("[1, x.nope]", { x }), () => x, context);
  if (!(elsewhere instanceof EvalError)) throw new Error("it has no key nope");
  expect(place(evaluate(tree, () => elsewhere, context))).toEqual(["no such key: nope", 0, 1]);
});

group("sentences have a bounded length, whatever the data", () => {
  const long = "\u{1F600}".repeat(500_000);
  const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`key${i}`.padEnd(60, "x"), i]));
  test.each([
    ["x[long]", { x: {}, long }],
    ["x[long]", { x: wide, long: `key5${"x".repeat(60)}` }],
    ["int(long)", { long }],
    ["long.matches(long)", { long }],
    ["x[[long, long, [long]]]", { x: "text", long: Array.from({ length: 1000 }, () => long) }],
    ["x[hierarchy(long)]", { x: "text", long: Array.from({ length: 1000 }, () => long) }],
    ["x[optional.of(long)]", { x: "text", long }],
    ["x[bytes(long)]", { x: "text", long }],
    ["x.all(a, x.all(b, x.all(c, x.all(d, x.all(e, e.foo)))))", { x: { [long]: 1 } }],
  ] satisfies readonly (readonly [string, { readonly [name: string]: Value }])[])("%#", (text, variables) => {
    const [, sentence] = failing(text, variables);
    expect(sentence.length).toBeLessThan(1000);
    expect(wellFormed(sentence)).toBe(sentence);
  });
});

test("an error that was made elsewhere is described by its message", () => {
  expect(describe(evalError("no such key", "a"))).toBe("no such key: a");
});
