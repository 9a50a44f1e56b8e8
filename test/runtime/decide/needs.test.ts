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
import { mayFail, type Needs, needsOf, needsOfVariables, needsWithVariables } from "../../../runtime/decide/needs.ts";
import { absent, any, finite, numbers, truth } from "../../../runtime/decide/value-kinds.ts";

function expressionOf(text: string): Condition & { readonly kind: "expression" } {
  const { tree } = parse(text);
  if (tree === undefined) throw new Error(`cannot be parsed: ${text}`);
  return { kind: "expression", expression: { text, tree } };
}

const variablesOf = (...texts: readonly string[]) => ({
  variables: texts.map((text, at) => ({ name: `v${at}`, expression: expressionOf(text).expression })),
  constants: new Map<string, Value>(),
});

/** What is needed of each attribute, `P.x` or `R.x`. */
function told(needs: Needs | undefined): { readonly [attribute: string]: number } | undefined {
  if (needs === undefined) return undefined;
  const of = (letter: string, { names, kinds }: Needs["principal"]) => names.map((name, at) => [`${letter}.${name}`, kinds[at] ?? 0]);
  return Object.fromEntries([...of("P", needs.principal), ...of("R", needs.resource)]);
}

describe("needs", () => {
  test.each<[string, ReturnType<typeof told>]>([
    ["R.attr.owner == P.id", { "R.owner": any }],
    ["request.resource.attr.team != request.principal.attr.team", { "P.team": any, "R.team": any }],
    ["R.attr.a == 1 && (P.attr.b == R.attr.a || false == P.attr.c)", { "P.b": any, "P.c": any, "R.a": any }],
    ["has(R.attr.owner) && has(request.principal.attr.x)", {}],
    ["has(R.attr.owner) && R.attr.owner == P.id", {}],
    ["has(R.attr.owner) && R.attr.owner < 1", { "R.owner": finite | absent }],
    ["P.scope == R.kind", {}],
    ["P.policy_version == R.policyVersion && P.roles == R.id", {}],
    ["R.attr == P.attr", {}],
    ["P.kind == 1", undefined],
    ["R.roles == 1", undefined],
    ["has(P.scope)", undefined],
    ["has(R.attr)", undefined],
    ["R.attr.a.b == 1", undefined],
    ["R.attr.?a == 1", undefined],
    ["R.attr.a < 1", { "R.a": finite }],
    ["R.attr.a", { "R.a": any }],
    ["R.attr.a && true", { "R.a": truth }],
    ["!(R.attr.a == 1)", { "R.a": any }],
    ["R.attr.a > 1 && size(R.attr.a) > 1", { "R.a": 0 }],
    ["R.attr.tags.exists(tag, tag > 1)", { "R.tags": numbers }],
    ["V.x == 1", undefined],
    ["C.x == 1", undefined],
    ["G.x == 1", undefined],
    ["request.auxData.jwt.x == 1", undefined],
    ["runtime.effectiveDerivedRoles == []", undefined],
    ["[1].exists(P, P.id == R.attr.x)", undefined],
    ["R.attr['a'] == 1", undefined],
  ])("%s", (text, expected) => {
    expect(told(needsOf(expressionOf(text), variablesOf()))).toEqual(expected);
  });

  test("those of each part, and of all variables that may be read", () => {
    const parts: Condition = {
      kind: "any",
      of: [expressionOf("R.attr.a == 1"), { kind: "none", of: [expressionOf("P.attr.b == 2"), expressionOf("R.id == 'x'")] }],
    };
    expect(told(needsWithVariables(parts, variablesOf("R.attr.c == 3")))).toEqual({ "P.b": any, "R.a": any, "R.c": any });
    expect(told(needsOf(parts, variablesOf("R.attr.c == 3")))).toEqual({ "P.b": any, "R.a": any });
    expect(needsWithVariables(parts, variablesOf("R.attr.c + 3"))).toBeUndefined();
    expect(told(needsOf({ kind: "all", of: [...parts.of, expressionOf("R.attr.a > 1")] }, variablesOf()))).toEqual({
      "P.b": any,
      "R.a": finite,
    });
    // What the parts before were, if this one is evaluated.
    const present = expressionOf("has(R.attr.c)");
    const absent = expressionOf("!has(R.attr.c)");
    const isRead = expressionOf("R.attr.c == 3");
    const after = (kind: "all" | "any" | "none", before: Condition) => told(needsOf({ kind, of: [before, isRead] }, variablesOf()));
    expect([after("all", present), after("any", present), after("none", present)]).toEqual([{}, { "R.c": any }, { "R.c": any }]);
    expect([after("all", absent), after("any", absent), after("none", absent)]).toEqual([{ "R.c": any }, {}, {}]);
    expect(told(needsOfVariables(variablesOf("R.attr.c == 3", "P.attr.d")))).toEqual({ "P.d": any, "R.c": any });
    expect(told(needsOfVariables(variablesOf("R.attr.c == 3", "V.v0")))).toEqual({ "R.c": any });
    expect(needsOfVariables(variablesOf("V.v1", "R.attr.c == 3"))).toBeUndefined();
    expect(told(needsOfVariables(variablesOf()))).toEqual({});
  });
});

test("a call at whose overload the checker guessed may fail with what the function takes otherwise", () => {
  const { kind, expression } = expressionOf("size(R.attr.a)");
  const narrowed: Condition = { kind, expression: { ...expression, tree: { ...expression.tree, overload: "size_string" } as never } };
  expect(needsOf({ kind, expression }, variablesOf())).toBeDefined();
  expect(needsOf(narrowed, variablesOf())).toBeUndefined();
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
