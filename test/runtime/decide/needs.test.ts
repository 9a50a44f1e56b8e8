/** What an expression needs for being sure not to fail, held against the interpreter. */
import { describe, expect, test } from "vitest";
import { parse } from "../../../compiler/cel/parse.ts";
import { EvalError } from "../../../runtime/cel/error.ts";
import { evaluate } from "../../../runtime/cel/evaluate/evaluate.ts";
import { timestampFromMilliseconds } from "../../../runtime/cel/timestamp.ts";
import type { JsonObject, Value } from "../../../runtime/cel/value.ts";
import { policyBindings } from "../../../runtime/decide/activation.ts";
import type { Condition } from "../../../runtime/decide/condition.ts";
import type { CheckInput } from "../../../runtime/decide/input.ts";
import { mayFail, needsOf, needsOfVariables } from "../../../runtime/decide/needs.ts";

function expressionOf(text: string): Condition & { readonly kind: "expression" } {
  const { tree } = parse(text);
  if (tree === undefined) throw new Error(`cannot be parsed: ${text}`);
  return { kind: "expression", expression: { text, tree } };
}

const variablesOf = (...texts: readonly string[]) => ({
  variables: texts.map((text, at) => ({ name: `v${at}`, expression: expressionOf(text).expression })),
  constants: new Map<string, Value>(),
});

const none = { principal: [], resource: [] };

describe("needs", () => {
  test.each<[string, ReturnType<typeof needsOf>]>([
    ["R.attr.owner == P.id", { principal: [], resource: ["owner"] }],
    ["request.resource.attr.team != request.principal.attr.team", { principal: ["team"], resource: ["team"] }],
    ["R.attr.a == 1 && (P.attr.b == R.attr.a || false == P.attr.c)", { principal: ["b", "c"], resource: ["a"] }],
    ["has(R.attr.owner) && has(request.principal.attr.x)", none],
    ["P.scope == R.kind", none],
    ["P.policy_version == R.policyVersion && P.roles == R.id", none],
    ["R.attr == P.attr", none],
    ["P.kind == 1", undefined],
    ["R.roles == 1", undefined],
    ["has(P.scope)", undefined],
    ["has(R.attr)", undefined],
    ["R.attr.a.b == 1", undefined],
    ["R.attr.?a == 1", undefined],
    ["R.attr.a < 1", undefined],
    ["R.attr.a", { principal: [], resource: ["a"] }],
    ["R.attr.a && true", undefined],
    ["!(R.attr.a == 1)", undefined],
    ["V.x == 1", undefined],
    ["C.x == 1", undefined],
    ["G.x == 1", undefined],
    ["request.auxData.jwt.x == 1", undefined],
    ["runtime.effectiveDerivedRoles == []", undefined],
    ["[1].exists(P, P.id == R.attr.x)", undefined],
    ["R.attr['a'] == 1", undefined],
  ])("%s", (text, expected) => {
    expect(needsOf(expressionOf(text), variablesOf())).toEqual(expected);
  });

  test("those of each part, and of all variables that may be read", () => {
    const parts: Condition = {
      kind: "any",
      of: [expressionOf("R.attr.a == 1"), { kind: "none", of: [expressionOf("P.attr.b == 2"), expressionOf("R.id == 'x'")] }],
    };
    expect(needsOf(parts, variablesOf("R.attr.c == 3"))).toEqual({ principal: ["b"], resource: ["a", "c"] });
    expect(needsOf(parts, variablesOf("R.attr.c + 3"))).toBeUndefined();
    expect(needsOf({ kind: "all", of: [...parts.of, expressionOf("R.attr.a > 1")] }, variablesOf())).toBeUndefined();
    expect(needsOfVariables(variablesOf("R.attr.c == 3", "P.attr.d"))).toEqual({ principal: ["d"], resource: ["c"] });
    expect(needsOfVariables(variablesOf("R.attr.c == 3", "V.v0"))).toBeUndefined();
    expect(needsOfVariables(variablesOf())).toEqual(none);
  });
});

const attributes: readonly (JsonObject | undefined)[] = [
  undefined,
  {},
  { a: 1, b: "x" },
  { a: null, b: [1], c: { d: true } },
  { a: true, c: false, toString: 1 },
];
const texts = [
  "R.attr.a == P.attr.a",
  "R.attr.b != P.attr.c || P.attr.a == R.attr",
  "R.attr.toString == P.attr.b && P.id == R.kind",
  "has(R.attr.a) && R.attr.a == P.scope",
  "has(P.attr.hasOwnProperty) || P.attr.c == R.policyVersion",
  "R.attr.constructor == 1",
  "R.attr.a",
];

test.each(texts)("what has all that it needs does not fail: %s", (text) => {
  const condition = expressionOf(text);
  const context = { now: timestampFromMilliseconds(0) };
  const needs = needsOf(condition, variablesOf());
  expect(needs).toBeDefined();
  for (const mine of attributes) {
    for (const its of attributes) {
      const input: CheckInput = {
        principal: { id: "ann", roles: ["user"], ...(mine && { attr: mine }) },
        resource: { kind: "doc", id: "1", ...(its && { attr: its }) },
        actions: ["view"],
      };
      const bindings = policyBindings(input, { globals: {}, constants: new Map(), variables: new Map(), effectiveDerivedRoles: [] });
      const fails = evaluate(condition.expression.tree, bindings, context) instanceof EvalError;
      if (!mayFail(needs, input)) expect(fails).toBe(false);
    }
  }
});
