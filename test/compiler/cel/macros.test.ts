/** Macros: which calls are rewritten, into what, and when cel-go refuses them. */
import { describe, expect, test } from "vitest";
import { parse } from "../../../compiler/cel/parse.ts";
import { shapeOf } from "./expressions.ts";

const name = (text: string): unknown => ({ kind: "identifier", name: text });
const one = { kind: "literal", value: "1n" };

test.each<readonly [string, unknown]>([
  ["has(a.b)", { kind: "select", operand: name("a"), field: "b", test: true }],
  ["l.all(x, x)", { kind: "loop", macro: "all", macroName: "all", range: name("l"), variables: ["x"], body: name("x") }],
  [
    "l.exists_one(x, x)",
    { kind: "loop", macro: "existsOne", macroName: "exists_one", range: name("l"), variables: ["x"], body: name("x") },
  ],
  ["l.exists(i, x, x)", { kind: "loop", macro: "exists", macroName: "exists", range: name("l"), variables: ["i", "x"], body: name("x") }],
  ["l.map(x, 1)", { kind: "loop", macro: "map", macroName: "map", range: name("l"), variables: ["x"], body: one }],
  ["l.map(x, y, 1)", { kind: "loop", macro: "map", macroName: "map", range: name("l"), variables: ["x"], filter: name("y"), body: one }],
  [
    "m.transformMap(k, v, f, 1)",
    {
      kind: "loop",
      macro: "transformMap",
      macroName: "transformMap",
      range: name("m"),
      variables: ["k", "v"],
      filter: name("f"),
      body: one,
    },
  ],
  [
    "m.transformMapEntry(k, v, 1)",
    { kind: "loop", macro: "transformMapEntry", macroName: "transformMapEntry", range: name("m"), variables: ["k", "v"], body: one },
  ],
  ["l.sortBy(x, 1)", { kind: "loop", macro: "sortBy", macroName: "sortBy", range: name("l"), variables: ["x"], body: one }],
  ["cel.bind(x, 1, x)", { kind: "bind", name: "x", init: one, body: name("x") }],
  ["o.optMap(x, 1)", { kind: "optionalMap", flat: false, target: name("o"), variable: "x", body: one }],
  ["o.optFlatMap(x, 1)", { kind: "optionalMap", flat: true, target: name("o"), variable: "x", body: one }],
  ["math.least(1, a)", { kind: "call", function: "math.least", args: [one, name("a")] }],
  [
    "math.greatest(1, a, 1)",
    { kind: "call", function: "math.greatest", args: [{ kind: "list", elements: [one, name("a"), one], optionals: [] }] },
  ],
  // Calls that only look like macros.
  ["l.all(x)", { kind: "call", function: "all", target: name("l"), args: [name("x")] }],
  ["a.has(b.c)", { kind: "call", function: "has", target: name("a"), args: [{ kind: "select", operand: name("b"), field: "c" }] }],
  [".has(1)", { kind: "call", function: ".has", args: [one] }],
  ["bind(x, 1, x)", { kind: "call", function: "bind", args: [name("x"), one, name("x")] }],
  ["a.bind(x, 1, x)", { kind: "call", function: "bind", target: name("a"), args: [name("x"), one, name("x")] }],
  [
    ".cel.bind(x, 1, x)",
    { kind: "call", function: "bind", target: { kind: "identifier", name: "cel", absolute: true }, args: [name("x"), one, name("x")] },
  ],
  ["l.map(x, 1, 1, 1)", { kind: "call", function: "map", target: name("l"), args: [name("x"), one, one, one] }],
])("%s", (text, shape) => expect(shapeOf(parse(text).tree)).toEqual(shape));

test("without macros every call is a call", () => {
  expect(shapeOf(parse("l.all(x, 1)", []).tree)).toEqual({ kind: "call", function: "all", target: name("l"), args: [name("x"), one] });
});

describe("refused", () => {
  test.each([
    ["has(a)", "a", "`has` takes a field, as in `has(a.b)`"],
    ["has(a['b'])", "a['b']", "`has` takes a field, as in `has(a.b)`"],
    ["has(a.?b)", "a.?b", "`has` takes a field, as in `has(a.b)`"],
    ["l.all(1, true)", "1", "`all` needs the name of a variable here"],
    ["l.map(a.b, 1)", "a.b", "`map` needs the name of a variable here"],
    ["l.filter(.x, true)", ".x", "`filter` needs the name of a variable here"],
    ["l.exists(i, 2, true)", "2", "`exists` needs the name of a variable here"],
    ["l.exists(x, x, true)", "x", "the two variables have the same name `x`"],
    ["l.all(__result__, true)", "__result__", "the name `__result__` is taken"],
    ["cel.bind(a.b, 1, 2)", "a.b", "`cel.bind` needs the name of a variable here"],
    ["o.optMap(1, 2)", "1", "`optMap` needs the name of a variable here"],
    ["{}.sortBy(x, x)", "{}", "`sortBy` sorts a list"],
    ["math.greatest()", "math.greatest()", "`math.greatest` takes at least one number"],
    ["math.greatest('a', 1)", "'a'", "`math.greatest` takes numbers"],
    ["math.least([1], 2)", "[1]", "`math.least` takes numbers"],
    ["math.least([])", "[]", "`math.least` takes numbers"],
    ["math.least([1, true])", "true", "`math.least` takes numbers"],
    ["math.least({})", "{}", "`math.least` takes numbers"],
  ])("%s", (text, at, message) => {
    const [issue, ...others] = parse(text).issues;
    expect([issue?.message, text.slice(issue?.start, issue?.end), others]).toEqual([message, at, []]);
  });
});
