/** What a policy's names stand for (semantics 5.1), and what conditions and variables come to (5.2). */
import { describe, expect, test } from "vitest";
import { check } from "../../../compiler/cel/check.ts";
import { policyEnvironment } from "../../../compiler/cel/environment.ts";
import { parse } from "../../../compiler/cel/parse.ts";
import type { Value } from "../../../runtime/cel/value.ts";
import { policyBindings } from "../../../runtime/decide/activation.ts";
import { evaluateCondition, evaluateVariables } from "../../../runtime/decide/evaluate-condition.ts";
import type { CompiledExpression, Condition } from "../../../runtime/decide/condition.ts";
import type { EvaluationError } from "../../../runtime/decide/decision.ts";
import type { CheckInput } from "../../../runtime/decide/input.ts";
import { askPolicy, context } from "../cel/ask.ts";

const options = { globals: {}, constants: new Map<string, Value>(), variables: new Map<string, Value>(), effectiveDerivedRoles: [] };
const bare: CheckInput = { principal: { id: "ann", roles: ["user"] }, resource: { kind: "doc", id: "1" }, actions: ["view"] };
const full: CheckInput = {
  principal: { id: "ann", roles: ["user"], attr: { n: 5, none: null, constructor: "sent" }, policyVersion: "v1", scope: "a.b" },
  resource: { kind: "doc", id: "1", attr: { owner: "ann" }, policyVersion: "v2", scope: "a" },
  auxData: { jwt: { iss: "me", aud: ["x"] } },
  actions: ["view"],
};

describe("of a request that carries nothing more than it must", () => {
  test.each([
    ["request.principal == P && request.resource == R", "true"],
    ["P.id", '"ann"'],
    ["P.roles", '["user"]'],
    ["R.kind + R.id", '"doc1"'],
    ["P.attr", "{}"],
    ["has(P.attr)", "false"],
    ["has(P.attr.x)", "false"],
    ["P.attr.x", "error: no such key: x"],
    ["P.scope", '""'],
    ["has(P.scope)", "false"],
    ["R.policyVersion", '""'],
    ["has(R.policyVersion)", "false"],
    ["R.policy_version == R.policyVersion", "true"],
    ["has(request.auxData)", "false"],
    ["request.auxData.jwt", "{}"],
    ["request.aux_data.jwts", "{}"],
    ["has(request.auxData.jwt)", "false"],
    ["request.auxData.jwt.iss", "error: no such key: iss"],
    ["runtime.effectiveDerivedRoles", "[]"],
    ["has(request.principal)", "true"],
    ["V.x", "error: undefined field 'x'"],
    ["C.x", "error: undefined field 'x'"],
    ["G.x", "error: undefined field 'x'"],
    ["globals.x", "error: undefined field 'x'"],
    ["has(V.x)", "false"],
    ["has(G.toString)", "false"],
    ["G.constructor", "error: undefined field 'constructor'"],
  ])("%s is %s", (text, wanted) => {
    expect(askPolicy(text, policyBindings(bare, options))).toBe(wanted);
  });
});

describe("of a request with everything", () => {
  const bindings = policyBindings(full, {
    globals: { env: "test", n: 5n },
    constants: new Map<string, Value>([["limit", 10]]),
    variables: new Map<string, Value>([["mine", true]]),
    effectiveDerivedRoles: ["owner"],
  });
  test.each([
    ["has(P.attr) && has(P.attr.none) && P.attr.none == null", "true"],
    ["P.attr.n == 5", "true"],
    ["P.attr.n + 1", "error: no such overload"],
    ["P.attr.constructor", '"sent"'],
    ["has(P.attr.toString)", "false"],
    ["has(P.scope) && P.scope == 'a.b'", "true"],
    ["R.policy_version", '"v2"'],
    ["has(R.policy_version)", "true"],
    ["has(request.auxData) && has(request.aux_data.jwt)", "true"],
    ["request.auxData.jwt.iss", '"me"'],
    ["'x' in request.aux_data.jwt.aud", "true"],
    ["has(request.auxData.jwts)", "false"],
    ["V.mine && variables.mine", "true"],
    ["C.limit + constants.limit", "20.0"],
    ["G.n + 1", "6"],
    ["globals.env", '"test"'],
    ["'owner' in runtime.effectiveDerivedRoles", "true"],
    ["runtime.effective_derived_roles", '["owner"]'],
  ])("%s is %s", (text, wanted) => {
    expect(askPolicy(text, bindings)).toBe(wanted);
  });

  test("tokens by name", () => {
    const named = policyBindings({ ...bare, auxData: { jwts: { one: { claims: { iss: "me" } } } } }, options);
    expect(askPolicy("request.auxData.jwts.one.claims.iss", named)).toBe('"me"');
    expect(askPolicy("has(request.auxData.jwts.two)", named)).toBe("false");
    expect(askPolicy("request.auxData.jwts['__proto__'].claims", named)).toBe("error: no such key: __proto__");
  });
});

const compile = (text: string): CompiledExpression => {
  const { tree } = parse(text);
  if (tree === undefined) throw new Error(`does not parse: ${text}`);
  return { text, tree: check(tree, policyEnvironment).tree };
};
const leaf = (text: string): Condition => ({ kind: "expression", expression: compile(text) });

describe("conditions", () => {
  const yes = leaf("true");
  const no = leaf("false");
  const error = leaf("R.attr.missing == 1");
  const text = leaf("'true'");
  test.each<[string, Condition, boolean]>([
    ["a true leaf holds", yes, true],
    ["a leaf that fails does not", error, false],
    ["a leaf that is no boolean does not", text, false],
    ["all of true ones", { kind: "all", of: [yes, yes] }, true],
    ["all with a failure", { kind: "all", of: [yes, error] }, false],
    ["any with a failure first", { kind: "any", of: [error, yes] }, true],
    ["any of failures", { kind: "any", of: [error, no] }, false],
    ["none of what fails: it is not true", { kind: "none", of: [error, no, text] }, true],
    ["none with a true one", { kind: "none", of: [no, yes] }, false],
    ["a negation inside a leaf is something else", leaf("!(R.attr.missing == 1)"), false],
    [
      "nested",
      {
        kind: "all",
        of: [
          { kind: "none", of: [error] },
          { kind: "any", of: [no, yes] },
        ],
      },
      true,
    ],
    ["nothing to be all of", { kind: "all", of: [] }, true],
  ])("%s", (_, condition, wanted) => {
    expect(evaluateCondition(condition, policyBindings(bare, options), context, () => undefined)).toBe(wanted);
  });

  test("errors are told with the author's words, and evaluation stops where it is decided", () => {
    const errors: EvaluationError[] = [];
    evaluateCondition({ kind: "any", of: [error, yes, leaf("R.attr.other")] }, policyBindings(bare, options), context, (each) =>
      errors.push(each),
    );
    expect(errors).toEqual([{ expression: "R.attr.missing == 1", message: "no such key: missing", part: { start: 0, end: 14 } }]);
  });
});

test("variables are evaluated in order, and one that fails stays unset", () => {
  const errors: EvaluationError[] = [];
  const variables = [
    { name: "a", expression: compile("1 + 1") },
    { name: "b", expression: compile("V.a * 2") },
    { name: "c", expression: compile("R.attr.missing") },
    { name: "d", expression: compile("V.c == 1 || true") },
    { name: "e", expression: compile("V.c") },
  ];
  const found = evaluateVariables(
    variables,
    (soFar) => policyBindings(bare, { ...options, variables: soFar }),
    context,
    (each) => errors.push(each),
  );
  expect([...found]).toEqual([
    ["a", 2n],
    ["b", 4n],
    ["d", true],
  ]);
  expect(errors).toEqual([
    { expression: "R.attr.missing", message: "no such key: missing", part: { start: 0, end: 14 } },
    { expression: "V.c", message: "undefined field 'c'; the variable's own expression failed", part: { start: 0, end: 3 } },
  ]);
});
