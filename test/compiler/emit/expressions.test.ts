/** Generated code says what the interpreter says, construct by construct, in both prints. */
import { describe, expect, it } from "vitest";
import { functionRows } from "../../../runtime/cel/functions/index.ts";
import { checkedExpressions, declaredExpressions, guessedExpressions, namedExpressions, uncheckedExpressions } from "./expressions.ts";
import { compileExpression, disagreement, type Surroundings } from "./harness.ts";
import { inputs } from "./inputs.ts";

const same = (left: unknown, right: unknown): boolean => {
  try {
    expect(left).toEqual(right);
    return true;
  } catch {
    return false;
  }
};

const surroundings: Surroundings = {
  variables: {
    small: "R.attr.n < 10",
    broken: "R.attr.missing.deeper == 1",
    total: "R.attr.n + R.attr.m",
    twice: 'R.attr.s + "x"',
    list: "R.attr.l",
    first: "R.attr.l[0]",
    chain: 'V.small && V.total > 0.0 && V.twice != ""',
    recursive: '{"deep": V.chain}',
    shadow: 'R.attr.l.exists(V, V == "a")',
    flag: "R.attr.b",
    bound: 'cel.bind(x, V.first, x == "a")',
  },
  constants: JSON.parse(`{"limit":5,"names":["abc","x"],"nested":{"a":{"b":1}},"proto":{"__proto__":"own"},"nothing":null,"yes":true}`),
  globals: { n: 5n, o: { k: 1n }, s: "g", b: true, list: ["abc"], u: 7n },
};

function check(text: string, checked: boolean, around: Surroundings): void {
  const compiled = compileExpression(text, around, checked);
  for (const input of inputs) {
    const found = disagreement(compiled, input, same);
    expect(
      found,
      `${text}\nfor ${JSON.stringify({ R: input.resource.attr, P: input.principal.attr })}\n${compiled.readable}\n${found ?? ""}`,
    ).toBeUndefined();
  }
}

describe("generated code and the interpreter agree, for people and for the machine", () => {
  it.each(checkedExpressions)("%s", (text) => check(text, true, {}));
  it.each(declaredExpressions)("declared: %s", (text) => check(text, true, {}));
  it.each(guessedExpressions)("guessed: %s", (text) => check(text, true, {}));
  it.each(namedExpressions)("%s", (text) => check(text, true, surroundings));
  it.each(uncheckedExpressions)("%s", (text) => check(text, false, {}));
  it.each(functionRows.flatMap((row) => row.examples.map(([text]) => text)))("example %s", (text) => check(text, false, {}));
  it.each(checkedExpressions)("unchecked: %s", (text) => check(text, false, {}));
});
