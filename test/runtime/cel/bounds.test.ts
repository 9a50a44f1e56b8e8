/** The interpreter on what is made to hurt it: deep, long, looping; and on anything at all it answers, never throws. */
import { describe as group, expect, test } from "vitest";
import { check } from "../../../compiler/cel/check.ts";
import { policyEnvironment } from "../../../compiler/cel/environment.ts";
import { parse } from "../../../compiler/cel/parse.ts";
import type { Expression } from "../../../runtime/cel/ast.ts";
import { EvalError } from "../../../runtime/cel/error.ts";
import { describe } from "../../../runtime/cel/evaluate/describe.ts";
import { evaluate } from "../../../runtime/cel/evaluate/evaluate.ts";
import { explain } from "../../../runtime/cel/evaluate/explain.ts";
import { Duration, Message, Timestamp, Uint, type Value } from "../../../runtime/cel/value.ts";
import { conditionText, expressionText } from "../../agree/expressions.ts";
import { openRandom } from "../../agree/random.ts";
import { context } from "./ask.ts";
import { failing } from "./outcome.ts";

const repeat = (count: number, text: string): string => text.repeat(count);
const list = Array.from({ length: 100_000 }, (_, i) => i);
const deep = (depth: number): Value => (depth === 0 ? 1 : { a: deep(depth - 1) });

group("deep and long expressions", () => {
  test.each<[sentence: string, text: string, part: string, wanted: string]>([
    ["a chain of &&", `${repeat(10_000, "x==1&&")}x==1`, "", "true"],
    ["a chain of || that fails", `${repeat(10_000, "x==2||")}x.a`, "x.a", "no such key: a; double has no fields"],
    ["a chain of && that fails at its beginning", `x.a${repeat(10_000, "&&x==1")}`, "x.a", "no such key: a; double has no fields"],
    ["a sum as deep as an expression may be", `x${repeat(248, " + x")}`, "", "249.0"],
    [
      "a sum that fails at its bottom",
      `1${repeat(248, " + x")}`,
      "1 + x",
      "no such overload: int + double; a number of a request is a double",
    ],
    ["a chain of selections", `d${repeat(249, ".a")}`, "", "1.0"],
    ["a chain of conditionals", `${repeat(248, "x == 2 ? 0 : ")}1`, "", "1"],
    ["nested lists", `${repeat(240, "[")}1 / 0${repeat(240, "]")}`, "1 / 0", "division by zero"],
    [
      "nested loops",
      `${repeat(120, "[1].map(e, ")}e / 0${repeat(120, ")")}`,
      "e / 0",
      "division by zero; at index 0, index 0, index 0, index 0, ...",
    ],
    ["a long list", `[${repeat(20_000, "x, ")}x].size()`, "", "20001"],
  ])("%s", (_, text, part, wanted) => {
    expect(failing(text, { x: 1, d: deep(249) })).toEqual([part, wanted]);
  });

  test("names that are found out when they are read, through hundreds of levels", () => {
    const levels = Array.from({ length: 120 }, (_, i) => i);
    const text = `${levels.map((i) => `cel.bind(b${i}, ${i === 0 ? "x / 0" : `b${i - 1} + 1`}, `).join("")}b119 == 1${")".repeat(120)}`;
    expect(failing(text, { x: 1n })).toEqual(["x / 0", "division by zero"]);
    expect(failing(text.replace("x / 0", "x"), { x: 1n })).toEqual(["", "false"]);
  });
});

group("loops", () => {
  test.each<[text: string, part: string, wanted: string]>([
    ["l.all(a, a >= 0.0)", "", "true"],
    ["l.all(a, a.x)", "a.x", "no such key: x; double has no fields; at index 0"],
    ["l.exists(a, a == 99999.0)", "", "true"],
    ["l.map(a, a).size()", "", "100000"],
    ["l.transformMap(i, v, i).size()", "", "100000"],
    ["m.all(k, m[k] == 1.0)", "", "true"],
    ["m.all(k, v, v == 1.0 && k != '')", "", "true"],
    ["l.all(a, l.all(b, b >= 0.0))", "l.all(b, b >= 0.0)", "too many steps: more than 1000000"],
    ["l.map(a, l.map(b, b))", "l.map(b, b)", "too many steps: more than 1000000"],
    ["l.all(a, l.all(b, b.x) || true)", "l.all(b, b.x)", "too many steps: more than 1000000"],
    [
      "l.map(a, 1).map(a, 1).map(a, 1).map(a, 1).map(a, 1).map(a, 1).map(a, 1).map(a, 1).map(a, 1).map(a, 1).map(a, 1).size()",
      "l.map(a, 1).map(a, 1).map(a, 1).map(a, 1).map(a, 1).map(a, 1).map(a, 1).map(a, 1).map(a, 1).map(a, 1).map(a, 1)",
      "too many steps: more than 1000000",
    ],
  ])("%s", (text, part, wanted) => {
    const m = Object.fromEntries(list.slice(0, 10_000).map((i) => [`k${i}`, 1]));
    expect(failing(text, { l: list, m })).toEqual([part, wanted]);
  });
});

/** Values of every kind, at their edges. */
const values: readonly Value[] = [
  null,
  true,
  false,
  0,
  -0,
  1.5,
  Number.NaN,
  Infinity,
  -(2 ** 63),
  0n,
  -(2n ** 63n),
  2n ** 63n - 1n,
  new Uint(0n),
  new Uint(2n ** 64n - 1n),
  "",
  "a",
  "\u{1F600}",
  "\ud800",
  "2024-01-01T00:00:00Z",
  "1h",
  "(",
  new Uint8Array(),
  Uint8Array.of(255),
  [],
  [1, "a", null],
  [[1], [2]],
  {},
  { a: 1, __proto__: null },
  JSON.parse('{"__proto__": 1, "constructor": {"a": 2}}') as Value,
  new Timestamp(0, 0),
  new Duration(5, 0),
  new Message(
    "variables",
    () => undefined,
    () => false,
  ),
];

/** The trees of an expression: as parsed, and as checked where it passes. */
function treesOf(text: string): readonly Expression[] {
  const { tree } = parse(text);
  if (tree === undefined) return [];
  const { tree: resolved, issues } = check(tree, policyEnvironment);
  return issues.length === 0 ? [tree, resolved] : [tree];
}

test("whatever the expression and whatever the data: an answer, and an error that tells its place", () => {
  const random = openRandom(7);
  let errors = 0;
  for (let i = 0; i < 3000; i++) {
    const text = (random.chance(0.5) ? expressionText : conditionText)(random, {
      variables: ["a"],
      constants: ["b"],
      locals: [],
    });
    const bound = new Map<string, Value>();
    const bindings = (name: string): Value | undefined => {
      if (!bound.has(name)) bound.set(name, random.chance(0.3) ? { attr: { a: random.pick(values) } } : random.pick(values));
      return bound.get(name);
    };
    for (const tree of treesOf(text)) {
      const outcome = evaluate(tree, bindings, context);
      expect([text, explain(tree, bindings, context).outcome]).toEqual([text, outcome]);
      if (!(outcome instanceof EvalError)) continue;
      errors += 1;
      const part = outcome.place?.tree;
      if (part === undefined) throw new Error(`${text}: ${outcome.message} has no place`);
      expect(part.start).toBeLessThan(part.end);
      expect(part.end).toBeLessThanOrEqual(text.length);
      const sentence = describe(outcome);
      expect(sentence.startsWith(outcome.kind)).toBe(true);
      expect(sentence.length).toBeLessThan(1200);
    }
  }
  expect(errors).toBeGreaterThan(1000);
});
