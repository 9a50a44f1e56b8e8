/** What the interpreter makes of each kind of expression, errors above all. */
import { describe, expect, test } from "vitest";
import type { Expression } from "../../../runtime/cel/ast.ts";
import { type EvalError, evalError } from "../../../runtime/cel/error.ts";
import { evaluate } from "../../../runtime/cel/evaluate/evaluate.ts";
import { defaultStepLimit } from "../../../runtime/cel/step-limit.ts";
import { and, not, or } from "../../../runtime/cel/logic.ts";
import type { Value } from "../../../runtime/cel/value.ts";
import { ask, context } from "./ask.ts";

const bad = evalError("division by zero");

describe("logic", () => {
  test.each<[Value | EvalError, Value | EvalError, boolean | EvalError, boolean | EvalError]>([
    // left   right   and            or
    [true, true, true, true],
    [true, false, false, true],
    [false, false, false, false],
    [bad, false, false, bad], // a boolean that decides wins over an error
    [false, bad, false, bad],
    [bad, true, bad, true],
    [true, bad, bad, true],
    [bad, bad, bad, bad],
    ["text", true, evalError("no such overload"), true], // what is no boolean is an error
    ["text", false, false, evalError("no such overload")],
    [null, null, evalError("no such overload"), evalError("no such overload")],
  ])("%j with %j", (left, right, both, either) => {
    expect(and([left, right])).toEqual(both);
    expect(or([left, right])).toEqual(either);
  });

  test("the first of several errors is the answer", () => {
    const other = evalError("no such key", "a");
    expect(and([true, bad, other])).toBe(bad);
    expect(or([other, false, bad])).toBe(other);
  });

  test("no term is taken after the one that decides", () => {
    let taken = 0;
    function* terms(): Iterable<Value> {
      for (const value of [true, false, true, true]) {
        taken += 1;
        yield value;
      }
    }
    expect(and(terms())).toBe(false);
    expect(taken).toBe(2);
  });

  test("not takes booleans only", () => {
    expect([not(true), not(bad), not("text")]).toEqual([false, bad, evalError("no such overload")]);
  });
});

const x: Value = {
  text: "a",
  number: 1,
  flag: true,
  nothing: null,
  list: [1, 2, 3],
  empty: [],
  map: { a: 1, b: "c" },
  deep: { a: { b: null } },
};

describe.each<[string, readonly (readonly [string, string])[]]>([
  [
    "an error beside a boolean that decides is absorbed",
    [
      ["x.missing == 1 || true", "true"],
      ["true || x.missing == 1", "true"],
      ["x.missing == 1 && false", "false"],
      ["x.missing == 1 && true", "error: no such key: missing"],
      ["x.text || true", "true"],
      ["x.text && false", "false"],
      ["x.text && true", "error: no such overload"],
      ["!x.text", "error: no such overload"],
      ["false || x.missing || 1 / 0 == 1 || true", "true"],
    ],
  ],
  [
    "a conditional evaluates one branch",
    [
      ["x.flag ? 1 : 1 / 0", "1"],
      ["x.flag ? 1 / 0 : 1", "error: division by zero"],
      ["x.text ? 1 : 2", "error: no such overload"],
      ["x.missing ? 1 : 2", "error: no such key: missing"],
    ],
  ],
  [
    "selecting reads what is there",
    [
      ["x.deep.a.b", "null"],
      ["x.deep.missing", "error: no such key: missing"],
      ["x.text.a", "error: no such key: a"],
      ["x.nothing.a", "error: no such key: a"],
      ["x.list.a", "error: invalid argument: unsupported index type 'string' in list"],
    ],
  ],
  [
    "has() asks for one field",
    [
      ["has(x.nothing)", "true"],
      ["has(x.missing)", "false"],
      ["has(x.text.a)", "false"],
      ["has(x.nothing.a)", "false"],
      ["has(x.number.a)", "false"],
      ["has(x.list.a)", "error: invalid argument: unsupported index type 'string' in list"],
      ["has(x.missing.a)", "error: no such key: missing"],
      ["has(x.deep.a.b)", "true"],
    ],
  ],
  [
    "indexing",
    [
      ["x.list[1.0]", "2.0"],
      ["x.list[1]", "2.0"],
      ["x.list[1u]", "2.0"],
      ["x.list[0.5]", "error: invalid argument: unsupported index value 0.5 in list"],
      ['x.list["0"]', "error: invalid argument: unsupported index type 'string' in list"],
      ["x.list[3]", "error: index out of bounds: 3"],
      ["x.list[-1]", "error: index out of bounds: -1"],
      ['x.map["a"]', "1.0"],
      ['x.map["z"]', "error: no such key: z"],
      ["x.map[1]", "error: no such key: 1"],
      ["x.text[0]", "error: no such key: 0"],
      ["[null][0]", "null"],
    ],
  ],
  [
    "in",
    [
      ["2 in x.list", "true"],
      ['"a" in x.map', "true"],
      ['"toString" in x.map', "false"],
      ["1 in x.map", "false"],
      ['"a" in x.text', "error: no such overload"],
      ["null in [null]", "true"],
    ],
  ],
  [
    "attributes are doubles, and arithmetic does not cross kinds",
    [
      ["x.number == 1", "true"],
      ["x.number < 2", "true"],
      ["x.number + 1", "error: no such overload"],
      ["x.number + 1.0", "2.0"],
      ["x.number % 3", "error: no such overload"],
      ["int(x.number) % 3", "1"],
    ],
  ],
  ["a span whose type is not known can be turned", [["-dyn(duration('1s'))", 'duration("-1s")']]],
  [
    "all and exists absorb errors that another element decides over",
    [
      ["x.list.exists(e, e == 2 || e.bad)", "true"],
      ["[0, 1, 2].exists(e, 1 / e == 1)", "true"],
      ["[0, 2].exists(e, 1 / e == 1)", "error: division by zero"],
      ["[0, 1, 2].all(e, 1 / e == 1)", "false"],
      ["[0, 1].all(e, 1 / e == 1)", "error: division by zero"],
      ["x.empty.all(e, e.bad)", "true"],
      ["x.empty.exists(e, e.bad)", "false"],
      ["x.list.all(e, e)", "error: no such overload"],
      ["x.map.all(k, k in x.map)", "true"],
      ["x.text.all(e, true)", "error: no such overload: the range is neither a list nor a map"],
    ],
  ],
  [
    "exists_one, map and filter absorb nothing",
    [
      ["x.list.exists_one(e, e == 2)", "true"],
      ["x.list.existsOne(e, e > 1)", "false"],
      ["[1, 0].exists_one(e, 1 / e == 1)", "error: division by zero"],
      ["x.list.map(e, e * 2.0)", "[2.0, 4.0, 6.0]"],
      ["x.list.map(e, e > 1, e * 2.0)", "[4.0, 6.0]"],
      ["[1, 0].map(e, 1 / e)", "error: division by zero"],
      ["x.list.filter(e, e > 1)", "[2.0, 3.0]"],
      ["x.list.filter(e, e)", "error: no such overload"],
      ["x.map.map(k, x.map[k])", '[1.0, "c"]'],
      ["x.map.filter(k, k == 'a')", '["a"]'],
    ],
  ],
  [
    "two variables are index and element, or key and value",
    [
      ["[5, 6].all(i, v, v == i + 5)", "true"],
      ["x.map.exists(k, v, k == 'b' && v == 'c')", "true"],
      ["[5, 6].existsOne(i, v, i == 1)", "true"],
      ["[5, 6].transformList(i, v, i * v)", "[0, 6]"],
      ["[5, 6].transformList(i, v, i > 0, v)", "[6]"],
      ["[5, 6].transformMap(i, v, v + 1)", "{0: 6, 1: 7}"],
      ["{'a': 1}.transformMap(k, v, v > 1, v)", "{}"],
      ["{'a': 'b'}.transformMapEntry(k, v, {v: k})", '{"b": "a"}'],
      ["[1, 1].transformMapEntry(i, v, {v: i})", "error: invalid argument: insert failed: the key already exists"],
    ],
  ],
  [
    "a loop's variable hides what it is called like, inside only",
    [
      ["[1].map(x, x)[0] == 1 && x.number == 1", "true"],
      ["[1].all(x, [2].all(x, x == 2) && x == 1)", "true"],
    ],
  ],
  [
    "cel.bind evaluates its value when it is read, once",
    [
      ["cel.bind(y, 1 / 0, true)", "true"],
      ["cel.bind(y, 1 / 0, y == 1 || true)", "true"],
      ["cel.bind(y, x.number, y + y)", "2.0"],
      ["cel.bind(x, x.number, x + 1.0)", "2.0"],
      ["cel.bind(y, null, y == null)", "true"],
    ],
  ],
  [
    "sortBy",
    [
      ["[{'n': 2, 'k': 'b'}, {'n': 1, 'k': 'a'}].sortBy(e, e.n).map(e, e.k)", '["a", "b"]'],
      ["x.list.sortBy(e, -e)", "[3.0, 2.0, 1.0]"],
      ["x.list.sortBy(e, e == 1.0 ? dyn('a') : dyn(e))", "error: invalid argument: list elements must have the same type"],
    ],
  ],
  [
    "optional access",
    [
      ["x.?missing.orValue(5)", "5"],
      ["x.?number.orValue(5)", "1.0"],
      ["x.?deep.?a.?b.hasValue()", "true"],
      ["x.?deep.a.b", "optional.of(null)"],
      ["x.?text.a", "error: no such key: a"],
      ["x.?list[5].hasValue()", "false"],
      ["x.list[?5]", "optional.none()"],
      // A part of what is not there is not there either, however it is asked for.
      ['x.?missing["part"]', "optional.none()"],
      ["x.?missing[0]", "optional.none()"],
      ["x[?'missing'][?0]", "optional.none()"],
      ["x.?list[7]", "optional.none()"],
      ["x.?number[0]", "error: no such key: 0"],
      ["[1, ?x.?missing, ?x.?number]", "[1, 1.0]"],
      ["{'a': 1, ?'b': x.?missing}", '{"a": 1}'],
      ["x.?number.optMap(n, n + 1.0)", "optional.of(2.0)"],
      ["x.?missing.optMap(n, n + 1.0)", "optional.none()"],
      ["x.?number.optFlatMap(n, x.?missing)", "optional.none()"],
      ["x.?number.optMap(n, 1 / 0)", "error: division by zero"],
      ["x.?number.optFlatMap(n, optional.of(1 / 0))", "error: division by zero"],
      ["x.?number.optMap(n, 1 / 0).orValue(2)", "error: division by zero"],
      ["optional.none() == optional.none() && optional.of(1) == optional.of(1)", "true"],
      ["optional.of([1]) == optional.of([1]) && optional.of(dyn(1)) == optional.of(dyn(1.0))", "true"],
      ["optional.none() == optional.of(1) || optional.of(1) == optional.none()", "false"],
      ["optional.of(1) == optional.of(2) || optional.of(null) == optional.none()", "false"],
      ["x.?missing.or(x.?number).value()", "1.0"],
      ["x.?number.or(1 / 0 == 1 ? x.?list : x.?map).hasValue()", "true"],
      ["x.?missing.value()", "error: invalid argument: optional.none() dereference"],
      ["[?x.number]", "error: no such overload: an element or entry marked ? needs an optional value"],
    ],
  ],
  [
    "literals",
    [
      ["[1, 2.0, 'a', b'b', 3u, null]", '[1, 2.0, "a", b"b", 3u, null]'],
      ["{1: 'a', 'b': [1]}", '{1: "a", "b": [1]}'],
      ["{1: 'a', 1: 'b'}", '{1: "b"}'],
      ["{x.missing: 1}", "error: no such key: missing"],
      ["{x.list: 1}", "error: invalid argument: unsupported key type 'list'"],
      ["[1 / 0]", "error: division by zero"],
      ["type(x) == map && type(x.list) == list && type(null) == null_type", "true"],
      ["[type(1), type(1u), type(1.0), type('a'), type(b'a'), type(true)] == [int, uint, double, string, bytes, bool]", "true"],
    ],
  ],
])("%s", (_, rows) => {
  test.each(rows)("%s is %s", (expression, wanted) => {
    expect(ask(expression, { x })).toBe(wanted);
  });
});

describe("steps (D46)", () => {
  const thousand = Array.from({ length: 1000 }, (_, i) => i);

  test("a million steps are allowed", () => {
    expect(defaultStepLimit).toBe(1_000_000);
    expect(ask("y.all(a, y.all(b, true))", { y: thousand.slice(1) })).toBe("true");
  });

  test("an evaluation that spent too much is an error, whatever absorbed it", () => {
    expect(ask("y.exists(a, y.exists(b, false)) || true", { y: thousand })).toBe("error: too many steps: more than 1000000");
  });
});

test("what grows without bound is an error", () => {
  const doubling = (start: string): string =>
    Array.from({ length: 40 }, (_, i) => i)
      .reduce((inner, i) => `cel.bind(a${40 - i}, a${39 - i} + a${39 - i}, ${inner})`, "size(a40)")
      .replace(/^/, `cel.bind(a0, ${start}, `) + ")";
  expect(ask(doubling("x"), { x: "text" })).toBe("error: out of range: string too long");
  expect(ask(doubling("x"), { x: [1, 2] })).toBe("error: out of range: list too long");
  expect(ask("lists.range(1000001)")).toBe("error: out of range: list too long");
});

test("a tree that nobody checked is evaluated all the same", () => {
  const struct: Expression = { kind: "struct", name: "a.B", fields: [], id: 1, start: 0, end: 5 };
  expect(evaluate(struct, () => undefined, context)).toMatchObject({ kind: "no such overload" });
  const unknown: Expression = { kind: "call", function: "constructor", args: [], id: 1, start: 0, end: 5 };
  expect(evaluate(unknown, () => undefined, context)).toMatchObject({ kind: "no such overload" });
});
