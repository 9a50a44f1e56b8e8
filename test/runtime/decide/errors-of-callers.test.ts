/** What is found out once for all resources of a caller is the same for each: asked beside others, or alone. */
import { describe, expect, test } from "vitest";
import { parse } from "../../../compiler/cel/parse.ts";
import type { Decision, Evaluator } from "../../../runtime/decide/decision.ts";
import type { CheckInput } from "../../../runtime/decide/input.ts";
import { readsCallerOnly } from "../../../runtime/decide/caller-errors.ts";
import { openSubject } from "../../agree/judge.ts";
import { optionsOf } from "../../agree/requests.ts";
import { makeTrial } from "../../agree/run.ts";
import { everything } from "../../agree/variants.ts";
import { evaluatorOf, options, resourcePolicy } from "./policies.ts";

describe("what a tree reads", () => {
  test.each([
    ["P.attr.team == 'eng'", true],
    ["request.principal.attr.team in G.teams", true],
    ["request.auxData.jwt.aud == request.aux_data.jwt.iss", true],
    ["has(P.attr.x) ? P.attr.x : globals.x", true],
    ["now() > timestamp(P.attr.until)", true],
    ["[P.id, 'a'] == []", true],
    ["R.attr.owner == P.id", false],
    ["request.resource.attr.owner == P.id", false],
    ["request == request", false],
    ["P.attr.team == C.team", false],
    ["constants.team == P.attr.team", false],
    ["V.isOwner", false],
    ["variables.isOwner && P.attr.x", false],
    ["runtime.effectiveDerivedRoles == P.roles", false],
    ["P.roles.exists(P, P == 'x')", false],
    ["cel.bind(P, R, P.attr.x == 1)", false],
    ["P.attr.x.startsWith(R.id)", false],
    ["P[R.id] == 1", false],
    ["P.attr.a || R.attr.b", false],
    ["P.attr.a in [R.id]", false],
  ])("%s: only the caller %s", (text, expected) => {
    const { tree } = parse(text);
    expect(tree && readsCallerOnly(tree)).toBe(expected);
  });
});

const errorsOf = (evaluator: Evaluator, inputs: readonly CheckInput[], strictEvaluation = false): readonly Decision["evaluationErrors"][] =>
  evaluator.check(inputs, { ...options, strictEvaluation, evaluationErrors: true }).map((decision) => decision.evaluationErrors);

describe("one call", () => {
  const head = `  variables:
    local:
      place: P.attr.address.inIPAddrRange("10.0.0.0/8")
      near: P.attr.teem == "eng"
  constants:
    local: { LIMIT: 3 }
`;
  const rule = (name: string, expr: string): string =>
    `- actions: ["${name}"]\n  effect: EFFECT_ALLOW\n  roles: [user]\n  condition: { match: { expr: '${expr}' } }`;
  const policy = (kind: string, limit: number): string =>
    resourcePolicy(
      kind,
      [
        rule("view", "P.attr.level > C.LIMIT"),
        rule("edit", "R.attr.owner == P.id"),
        rule("loop", "lists.range(2000000).all(x, x >= 0)"),
      ].join("\n"),
      head.replace("LIMIT: 3", `LIMIT: ${limit}`),
    );
  const evaluator = evaluatorOf(policy("doc", 3), policy("note", 4));
  const principal = (attr: { readonly [name: string]: string | number }) => ({ id: "ann", roles: ["user"], attr });
  const on = (who: CheckInput["principal"], kind: string, attr = {}): CheckInput => ({
    principal: who,
    resource: { kind, id: "1", attr },
    actions: ["view", "edit"],
  });
  const ann = principal({ team: "eng" });
  const bob = principal({ address: "10.0.0.1", level: "high" });

  test.each<[string, readonly CheckInput[]]>([
    ["resources of one caller", [on(ann, "doc"), on(ann, "doc", { owner: "ann" }), on(ann, "note")]],
    ["callers in turn", [on(ann, "doc"), on(bob, "doc"), on(ann, "note"), on(bob, "note"), on(ann, "doc")]],
    ["callers who are alike", [on(ann, "doc"), on({ ...ann }, "doc"), on({ ...ann, attr: { level: 9 } }, "doc")]],
    ["one principal with other claims", [on(bob, "doc"), { ...on(bob, "doc"), auxData: { jwt: { sub: "bob" } } }, on(bob, "doc")]],
  ])("%s", (_sentence, inputs) => {
    for (const strict of [false, true]) {
      const together = errorsOf(evaluator, inputs, strict);
      expect(together).toEqual(inputs.flatMap((input) => errorsOf(evaluator, [input], strict)));
    }
  });

  test("a leaf that fails because one before it has used up the steps fails otherwise without it", () => {
    const any = `- actions: ["view"]
  effect: EFFECT_ALLOW
  roles: [user]
  condition: { match: { any: { of: [{ expr: 'R.attr.list.all(x, R.attr.list.all(y, x >= y || y > x)) && false' }, { expr: 'P.attr.team == "x"' }] } } }`;
    const spending = evaluatorOf(resourcePolicy("doc", any));
    const [short, long] = [[1], Array.from({ length: 1100 }, (_, at) => at)].map((list) => on(bob, "doc", { list }));
    if (short === undefined || long === undefined) throw new Error("there are two resources");
    const [first, second, third] = errorsOf(spending, [short, long, short]);
    expect([first]).toEqual(errorsOf(spending, [short]));
    expect(second).toMatchObject([{ expression: 'P.attr.team == "x"', message: "too many steps: more than 1000000" }, {}]);
    expect(third).toEqual(first);
  });
});

test("whatever is asked of whatever policies", { timeout: 120_000 }, () => {
  let errors = 0;
  for (let set = 0; set < 60; set++) {
    const { documents, batches } = makeTrial(49, set);
    const subject = openSubject(documents, [everything]);
    const [evaluator] = typeof subject === "string" ? [] : subject.evaluators;
    if (evaluator === undefined) continue;
    for (let at = 0; at + 1 < batches.length; at += 2) {
      const [one, other] = [batches[at], batches[at + 1]];
      if (one === undefined || other === undefined) continue;
      const naming = optionsOf(one.settings, true);
      // Callers in turn, as far as there are inputs of both.
      const inputs = one.inputs.flatMap((input, index) => [input, ...other.inputs.slice(index, index + 1)]);
      const alone = inputs.flatMap((input) => evaluator.check([input], naming));
      expect(evaluator.check(inputs, naming).map(({ evaluationErrors }) => evaluationErrors)).toEqual(
        alone.map(({ evaluationErrors }) => evaluationErrors),
      );
      errors += alone.filter(({ evaluationErrors }) => evaluationErrors.length > 0).length;
    }
  }
  expect(errors).toBeGreaterThan(200);
});
