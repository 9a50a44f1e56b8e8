/** The account of an evaluation: every sub-expression that was looked at, and what it came to. */
import { describe, expect, test } from "vitest";
import { EvalError } from "../../../runtime/cel/error.ts";
import { brief } from "../../../runtime/cel/evaluate/brief.ts";
import { evaluate } from "../../../runtime/cel/evaluate/evaluate.ts";
import { explain, type Trace } from "../../../runtime/cel/evaluate/explain.ts";
import { CelMap, Timestamp, Uint, type Value } from "../../../runtime/cel/value.ts";
import { context } from "./ask.ts";
import { bind, checked } from "./outcome.ts";

const x: Value = { a: 1, list: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], map: { k: 1 } };

/** One line a trace, inner ones indented: `text = outcome`. */
function lines(text: string, trace: Trace, indent = ""): readonly string[] {
  const { tree, outcome, parts, iteration, leftOut } = trace;
  const said = outcome instanceof EvalError ? `error: ${outcome.message}` : brief(outcome, 20);
  const at = iteration === undefined ? "" : `[${brief(iteration)}] `;
  return [
    `${indent}${at}${text.slice(tree.start, tree.end)} = ${said}${leftOut === 0 ? "" : ` (${leftOut} left out)`}`,
    ...parts.flatMap((part) => lines(text, part, `${indent}  `)),
  ];
}

const told = (text: string): readonly string[] =>
  lines(text, explain(checked(text, { x }), bind({ x }), context)).filter((line) => !/^ *x(\.list|\.map)? = /.test(line));

test.each<[string, readonly string[]]>([
  ["1 + 2", ["1 + 2 = 3", "  1 = 1", "  2 = 2"]],
  [
    "x.b == 1 || x.a == 1.0 || true",
    [
      "x.b == 1 || x.a == 1.0 || true = true",
      "  x.b == 1 = error: no such key: b",
      "    x.b = error: no such key: b",
      "  x.a == 1.0 = true",
      "    x.a = 1.0",
      "    1.0 = 1.0",
    ],
  ],
  ["x.a == 1.0 ? 'y' : x.b", ["x.a == 1.0 ? 'y' : x.b = \"y\"", "  x.a == 1.0 = true", "    x.a = 1.0", "    1.0 = 1.0", "  'y' = \"y\""]],
  [
    "cel.bind(v, 1 + 1, v == v)",
    ["cel.bind(v, 1 + 1, v == v) = true", "  v == v = true", "    v = 2", "      1 + 1 = 2", "        1 = 1", "        1 = 1", "    v = 2"],
  ],
  [
    "[dyn(7)].all(e, e)",
    ["[dyn(7)].all(e, e) = error: no such overload", "  [dyn(7)] = [7]", "    dyn(7) = 7", "      7 = 7", "  [0] e = 7"],
  ],
  ["x.map.exists(k, k == 'k')", ["x.map.exists(k, k == 'k') = true", "  [\"k\"] k == 'k' = true", '    k = "k"', "    'k' = \"k\""]],
  [
    "x.list.map(e, e > 1.0, -e)[0]",
    [
      "x.list.map(e, e > 1.0, -e)[0] = -2.0",
      "  x.list.map(e, e > 1.0, -e) = [-2.0, -3.0, -4.0, -5.0, -6.0, -7.0, ... 2 more] (12 left out)",
      "    [0] e > 1.0 = false",
      "      e = 0.0",
      "      1.0 = 1.0",
      "    [1] e > 1.0 = false",
      "      e = 1.0",
      "      1.0 = 1.0",
      "    [2] e > 1.0 = true",
      "      e = 2.0",
      "      1.0 = 1.0",
      "    [2] -e = -2.0",
      "      e = 2.0",
      "    [9] e > 1.0 = true",
      "      e = 9.0",
      "      1.0 = 1.0",
      "    [9] -e = -9.0",
      "      e = 9.0",
      "  0 = 0",
    ],
  ],
  [
    "x.list.exists(e, 1 / int(e - 5.0) == 9 || e == 8.0)",
    [
      "x.list.exists(e, 1 / int(e - 5.0) == 9 || e == 8.0) = true (4 left out)",
      ...[0, 1, 2, 5, 8].flatMap((i) => [
        `  [${i}] 1 / int(e - 5.0) == 9 || e == 8.0 = ${i === 8 ? "true" : i === 5 ? "error: division by zero" : "false"}`,
        `    1 / int(e - 5.0) == 9 = ${i === 5 ? "error: division by zero" : "false"}`,
        `      1 / int(e - 5.0) = ${i === 5 ? "error: division by zero" : Math.trunc(1 / (i - 5)) + 0}`,
        "        1 = 1",
        `        int(e - 5.0) = ${i - 5}`,
        `          e - 5.0 = ${i - 5}.0`,
        `            e = ${i}.0`,
        "            5.0 = 5.0",
        ...(i === 5 ? [] : ["      9 = 9"]),
        `    e == 8.0 = ${i === 8}`,
        `      e = ${i}.0`,
        "      8.0 = 8.0",
      ]),
    ],
  ],
])("%s", (text, wanted) => {
  expect(told(text)).toEqual(wanted);
});

describe("the account is bounded, and its outcome is what evaluating gives", () => {
  const y = Array.from({ length: 50 }, (_, i) => i);
  const count = ({ parts }: Trace): number => parts.reduce((sum, part) => sum + count(part), 1);
  const thousands = `[${"1, ".repeat(9000)}1].size() == 9001`;
  test.each([
    "y.all(a, y.all(b, a + b >= 0.0))",
    "y.all(a, y.all(b, y.all(c, a + b + c >= 0.0))) || true",
    "y.map(a, y.map(b, y.filter(c, c == a)).size()).size() == 50",
    thousands,
    "y.all(a, a.b) && y.exists(b, 1 / 0 == 1)",
  ])("%#", (text) => {
    const tree = checked(text, { y });
    const trace = explain(tree, bind({ y }), context);
    expect(trace.outcome).toEqual(evaluate(tree, bind({ y }), context));
    expect(count(trace)).toBeLessThan(6000);
  });
});

test.each<[Value, number, string]>([
  ["short", 80, '"short"'],
  ["a".repeat(100), 10, `"${"a".repeat(10)}..."`],
  [`${"a".repeat(9)}\u{1F600}`, 10, '"aaaaaaaaa\uFFFD..."'],
  [Uint8Array.from({ length: 500 }, () => 97), 4, 'b"aaaa..."'],
  [Array.from({ length: 1000 }, (_, i) => i), 80, "[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, ... 990 more]"],
  [[[[[1]]]], 80, "[[[[...]]]]"],
  [[[[[]]]], 80, "[[[[]]]]"],
  [{ a: { b: { c: { d: 1 } } } }, 80, '{"a": {"b": {"c": {...}}}}'],
  [new CelMap(new Map([["1", [1n, new Uint(2n)] as const]])), 80, "{1: 2u}"],
  [[], 80, "[]"],
  [{}, 80, "{}"],
  [1e300, 80, "1e+300"],
  [null, 80, "null"],
  [new Timestamp(0, 0), 80, 'timestamp("1970-01-01T00:00:00Z")'],
])("a value is briefly written: %#", (value, longest, wanted) => {
  expect(brief(value, longest)).toBe(wanted);
});
