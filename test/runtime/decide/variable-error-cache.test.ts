/** Errors that are remembered by what variables read of a principal are those that the interpreter meets, whoever came before. */
import { describe, expect, it, test } from "vitest";
import { parse } from "../../../compiler/cel/parse.ts";
import { functionRows } from "../../../runtime/cel/functions/index.ts";
import { timestampFromMilliseconds } from "../../../runtime/cel/timestamp.ts";
import type { JsonObject, Value } from "../../../runtime/cel/value.ts";
import { policyBindings } from "../../../runtime/decide/activation.ts";
import type { Variable } from "../../../runtime/decide/condition.ts";
import type { EvaluationError } from "../../../runtime/decide/decision.ts";
import { evaluateVariables } from "../../../runtime/decide/evaluate-condition.ts";
import { functionsOfTime, cachedVariableErrors, readsOf, cacheVariableErrors } from "../../../runtime/decide/variable-error-cache.ts";
import { openRandom } from "../../agree/random.ts";
import { evaluatorOf, options, resourcePolicy } from "./policies.ts";

function variablesOf(...texts: readonly string[]): readonly Variable[] {
  return texts.map((text, at) => {
    const { tree } = parse(text);
    if (tree === undefined) throw new Error(`cannot be parsed: ${text}`);
    return { name: `v${at}`, expression: { text, tree } };
  });
}

describe("what variables read", () => {
  test.each<[text: string, expected: readonly string[] | undefined]>([
    ["P.attr.team", ["team"]],
    ["request.principal.attr.team == 'eng'", ["team"]],
    ["has(P.attr.a) ? P.attr.b : [P.attr.c, 1]", ["a", "b", "c"]],
    ["P.attr.address.inIPAddrRange('10.0.0.0/8')", ["address"]],
    ["P.attr.a.b.c || !P.attr.d", ["a", "d"]],
    ["P.attr.?a.orValue(1) > 0", ["a"]],
    ["1 + 'x'", []],
    ["P.attr", undefined],
    ["P.id == 'ann'", undefined],
    ["P.attr[P.attr.a]", undefined],
    ["has(P.attr)", undefined],
    ["R.attr.a", undefined],
    ["P.attr.a == R.attr.a", undefined],
    ["V.a", undefined],
    ["C.a == P.attr.a", undefined],
    ["G.a", undefined],
    ["request.auxData.jwt.a", undefined],
    ["runtime.effectiveDerivedRoles == []", undefined],
    ["[P.attr.a].exists(x, x == 1)", undefined],
    ["cel.bind(x, P.attr.a, x + 1)", undefined],
    ["{'a': P.attr.a}", undefined],
    ["now() > timestamp(P.attr.until)", undefined],
    ["timestamp(P.attr.born).timeSince() > duration('1h')", undefined],
    ["[P.attr.a, P.attr.b, P.attr.c, P.attr.d, P.attr.e, P.attr.f, P.attr.g, P.attr.h, P.attr.i] == []", undefined],
  ])("%s", (text, expected) => {
    expect(readsOf(variablesOf(text))).toEqual(expected);
  });

  test("all of them count", () => {
    expect(readsOf(variablesOf("P.attr.a", "P.attr.b + 1"))).toEqual(["a", "b"]);
    expect(readsOf(variablesOf("P.attr.a", "R.attr.b"))).toBeUndefined();
    expect(readsOf([])).toEqual([]);
  });
});

test("functions that read the clock are those that are named", () => {
  const instant = timestampFromMilliseconds(0);
  const found = new Set<string>();
  for (const { name, run, parameters } of functionRows) {
    const context = {
      get now() {
        found.add(name);
        return instant;
      },
    };
    try {
      run(
        parameters.map(() => instant),
        context,
      );
    } catch {
      // Arguments of another kind: only whether the clock was read is of interest.
    }
  }
  expect(found).toEqual(functionsOfTime);
});

const context = { now: timestampFromMilliseconds(0) };

function interpreted(variables: readonly Variable[], attr: JsonObject | undefined): readonly EvaluationError[] {
  const input = { principal: { id: "ann", roles: ["user"], attr }, resource: { kind: "doc", id: "1" }, actions: ["view"] };
  const errors: EvaluationError[] = [];
  const names = { globals: {}, constants: new Map<string, Value>(), effectiveDerivedRoles: [] };
  evaluateVariables(
    variables,
    (soFar) => policyBindings(input, { ...names, variables: soFar }),
    context,
    (error) => errors.push(error),
  );
  return errors;
}

const withList: JsonObject = { a: ["x"] };
const many: JsonObject = Object.fromEntries([..."abcdefghijklmnopq"].map((name) => [name, 1]));

test.each<[what: string, one: JsonObject, other: JsonObject]>([
  ["-0 is another number than 0", { a: -0 }, { a: 0 }],
  ["null is there", { a: null }, {}],
  ["a long text is not remembered", { a: "x".repeat(65) }, { a: "x".repeat(65) }],
  ["nor is a list", { a: [] }, { a: [] }],
  ["though it is the same list", withList, withList],
  ["nor a principal with many attributes", many, many],
  ["an attribute of another name may be like the one that is missing", { b: 1 }, { c: 1 }],
  ["so may one more", { b: 1 }, { b: 1, c: 1 }],
  ["and one fewer", { b: 1, c: 1 }, { b: 1 }],
])("%s", (_what, one, other) => {
  const variables = variablesOf("P.attr.a");
  cacheVariableErrors(variables, ["a"], [], one);
  expect(cachedVariableErrors(variables, ["a"], other)).toBeUndefined();
});

it("random variables and principals, in random order", () => {
  const random = openRandom(11);
  const names = ["team", "teem", "tame", "level", "address", "constructor"];
  const texts = ["eng", "10.0.0.1", "", "12", "x".repeat(64), "x".repeat(65)];
  const values: readonly (() => Value)[] = [
    ...texts.map((text) => () => text),
    ...[0, -0, 1.5, true, null].map((value) => () => value),
    () => ["eng"],
    () => ({ team: "eng" }),
  ];
  const read = (): string => `P.attr.${random.pick(names)}`;
  const expression = (depth: number): string =>
    depth === 0
      ? random.pick([read, read, () => "'eng'", () => "1.5", () => "true"])()
      : random.pick([
          () => `${expression(depth - 1)} == ${expression(depth - 1)}`,
          () => `${expression(depth - 1)} + ${expression(depth - 1)}`,
          () => `(${expression(depth - 1)} && ${expression(depth - 1)})`,
          () => `(${expression(depth - 1)} ? ${expression(depth - 1)} : ${expression(depth - 1)})`,
          () => `int(${expression(depth - 1)})`,
          () => `1.0 / ${expression(depth - 1)}`,
          () => `${read()}.inIPAddrRange('10.0.0.0/8')`,
          () => `[${expression(depth - 1)}][1]`,
          () => `${read()}.${random.pick(names)}`,
          () => `has(${read()})`,
          () => `${read()}[${read()}]`,
          () => `P.attr.?${random.pick(names)}.orValue(${expression(depth - 1)})`,
          () => `${read()}.matches(${read()})`,
        ])();
  let [known, failed] = [0, 0];
  for (let policy = 0; policy < 150; policy++) {
    const variables = variablesOf(...random.several(1, 3, () => expression(2)));
    const reads = readsOf(variables);
    if (reads === undefined) continue;
    for (let call = 0; call < 40; call++) {
      const attr = random.chance(0.05)
        ? undefined
        : Object.fromEntries(random.some(0, 3, names).map((name) => [name, random.pick(values)()]));
      const expected = interpreted(variables, attr);
      const before = cachedVariableErrors(variables, reads, attr);
      if (before === undefined) cacheVariableErrors(variables, reads, expected, attr);
      else {
        expect(before, `${variables.map(({ expression: { text } }) => text).join("; ")} of ${JSON.stringify(attr)}`).toEqual(expected);
        known += 1;
        if (expected.length > 0) failed += 1;
      }
    }
  }
  expect(known).toBeGreaterThan(100);
  expect(failed).toBeGreaterThan(50);
});

describe("what a check names", () => {
  const head = '  variables:\n    local:\n      near: P.attr.address.inIPAddrRange("10.0.0.0/8")\n      whole: int(P.attr.level)\n';
  const rule = "- actions: [view]\n  effect: EFFECT_ALLOW\n  roles: [user]";
  let strangers = 0;
  const told = (evaluator: ReturnType<typeof evaluatorOf>, attr: JsonObject | undefined) =>
    evaluator.check([{ principal: { id: "ann", roles: ["user"], attr }, resource: { kind: "doc", id: "1" }, actions: ["view"] }], {
      ...options,
      evaluationErrors: true,
    })[0]?.evaluationErrors;

  test.each<[what: string, ...callers: readonly (JsonObject | undefined)[]]>([
    ["the same attributes", { level: "x" }, { level: "x" }],
    ["another value", { level: "x" }, { level: "y" }],
    ["a name that is like the one that is missing", { level: "1" }, { level: "1", adress: "10.0.0.1" }],
    ["names in another order", { adress: 1, addres: 2 }, { addres: 2, adress: 1 }],
    ["an attribute that nobody reads", { level: "1", team: "a" }, { level: "1", team: "b" }],
    ["no attributes", undefined, {}],
    ["-0", { level: -0 }, { level: 0 }],
    ["one that is missing, and one that is null", { address: "10.0.0.1" }, { address: "10.0.0.1", level: null }],
  ])("%s", (_what, ...callers) => {
    const evaluator = evaluatorOf(resourcePolicy("doc", rule, head));
    // In turn, and each by somebody who has met nobody.
    for (const attr of [...callers, ...callers, ...callers]) {
      strangers += 1;
      const stranger = evaluatorOf(resourcePolicy("doc", rule, head.replace("near", `near${strangers}`)));
      expect(told(evaluator, attr)).toEqual(told(stranger, attr));
    }
  });
});
