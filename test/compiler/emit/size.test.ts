/** Programs are no larger than what they come from, and run, however long or deep that is. */
import { describe, expect, it } from "vitest";
import { compile } from "../../../compiler/index.ts";
import { digest, evaluatorOf, ask, options, resourcePolicy, told } from "../../runtime/decide/policies.ts";
import { load } from "../../../runtime/load.ts";
import { evaluateInThisRealm } from "../../../runtime/load.ts";
import { refusalOf } from "../../../runtime/sandbox/gate/index.ts";
import { compileExpression } from "./harness.ts";
import { inputs } from "./inputs.ts";

const repeat = (count: number, make: (at: number) => string, glue: string): string =>
  Array.from({ length: count }, (_, at) => make(at)).join(glue);

describe("large expressions become programs of their size, and run", () => {
  it.each<[sentence: string, text: string]>([
    ["many terms", repeat(3000, (at) => `R.attr.n != ${at + 1000}`, " && ")],
    ["many terms of both kinds", repeat(1000, (at) => `(R.attr.n == ${at} || R.attr.b)`, " && ")],
    ["negations", `${"!".repeat(201)}R.attr.b`],
    ["negations of groups", `${"!(true && ".repeat(60)}R.attr.b${")".repeat(60)}`],
    ["choices within choices", `${repeat(60, (at) => `R.attr.n == ${at} ? true : `, "(")}R.attr.b${")".repeat(59)}`],
    ["choices as conditions of choices", `${"(".repeat(60)}R.attr.b${" ? R.attr.c : R.attr.missing)".repeat(60)}`],
    ["choices compared", `${"(".repeat(60)}R.attr.b${" == R.attr.c)".repeat(60)}`],
    ["logic as a value", `${"((".repeat(40)}R.attr.b${" && R.attr.c) == R.attr.missing || R.attr.b)".repeat(40)}`],
    ["a long sum", repeat(100, (at) => `${at}.5`, " + ")],
    ["a long list", `R.attr.n in [${repeat(5000, String, ", ")}]`],
    ["loops within loops", `${"R.attr.l.exists(x, ".repeat(6)}x == "a"${")".repeat(6)}`],
    [
      "bindings within bindings",
      `${repeat(40, (at) => `cel.bind(x${at}, ${at === 0 ? "R.attr.b" : `x${at - 1} && x${at - 1}`}, `, "")}x39${")".repeat(40)}`,
    ],
  ])("%s", (_, text) => {
    const compiled = compileExpression(text, {}, false);
    for (const input of inputs.slice(0, 3)) {
      const value = compiled.interpreted(input);
      expect(compiled.generatedValue(input)).toEqual(value);
      expect(compiled.generatedT(input)).toBe(value === true);
      expect(compiled.readableF(input)).toBe(value === false);
    }
    expect(compiled.readable.length).toBeLessThan(text.length * 60 + 2000);
  });
});

describe("large policies", () => {
  it("with many rules do not repeat their patterns under every action", () => {
    const rules =
      repeat(600, (at) => `- { actions: ["do${at}"], effect: EFFECT_ALLOW, roles: [r${at}] }`, "\n") +
      "\n" +
      repeat(200, (at) => `- { actions: ["any:*"${at % 2 === 0 ? ', "*"' : ""}], effect: EFFECT_DENY, roles: [d${at}] }`, "\n");
    const { compiled } = compile([{ path: "p.yaml", text: resourcePolicy("doc", rules) }], { digest });
    const [module] = compiled?.modules ?? [];
    expect(module?.text.length).toBeLessThan(300_000);
    const evaluator = load(JSON.parse(JSON.stringify(compiled?.bundle)), evaluateInThisRealm);
    const [decision] = evaluator.check(
      [{ principal: { id: "a", roles: ["r7", "d8"] }, resource: { kind: "doc", id: "1" }, actions: ["do7", "do8", "any:1"] }],
      options,
    );
    expect(decision && told(decision)).toEqual([
      "do7: ALLOW by resource.doc.vdefault",
      "do8: DENY by resource.doc.vdefault",
      "any:1: DENY by resource.doc.vdefault",
    ]);
  });

  it("with more conditions than a word has bits remember them all", () => {
    const rules = repeat(
      70,
      (at) => `- { actions: [a${at}, all], effect: EFFECT_ALLOW, roles: [user], condition: { match: { expr: "R.attr.n == ${at}.0" } } }`,
      "\n",
    );
    const evaluator = evaluatorOf(resourcePolicy("doc", rules));
    for (const n of [0, 29, 30, 31, 69]) {
      const decision = ask(evaluator, ["user"], "doc", [`a${n}`, `a${n + 1}`, "all", `a${n}`.repeat(1)].slice(0, 3), {
        R: { n },
        options: { evaluationErrors: true },
      });
      expect(Array.from(decision.actions.values(), ({ effect }) => effect)).toEqual(["EFFECT_ALLOW", "EFFECT_DENY", "EFFECT_ALLOW"]);
    }
    expect(ask(evaluator, ["user"], "doc", ["all"], { options: { evaluationErrors: true } }).evaluationErrors).toHaveLength(70);
  });

  it("with long chains of variables need no deep stack", () => {
    const chain = repeat(1500, (at) => `      v${at}: ${at === 0 ? "R.attr.n" : `V.v${at - 1} + 1.0`}`, "\n");
    const evaluator = evaluatorOf(
      resourcePolicy(
        "doc",
        `- { actions: [view], effect: EFFECT_ALLOW, roles: [user], condition: { match: { expr: V.v1499 > 1499.0 } } }`,
        `  variables:\n    local:\n${chain}\n`,
      ),
    );
    expect(told(ask(evaluator, ["user"], "doc", ["view"], { R: { n: 1 } }))).toEqual(["view: ALLOW by resource.doc.vdefault"]);
    expect(told(ask(evaluator, ["user"], "doc", ["view"]))).toEqual(["view: DENY by resource.doc.vdefault"]);
  });

  it("with deep variables within each other pass the gate", () => {
    const deep = (within: string): string => `${"(".repeat(240)}${within}${" + 1.0)".repeat(240)}`;
    const chain = repeat(40, (at) => `      v${at}: ${deep(at === 0 ? "R.attr.n" : `V.v${at - 1}`)}`, "\n");
    const policy = resourcePolicy(
      "doc",
      `- { actions: [view], effect: EFFECT_ALLOW, roles: [user], condition: { match: { expr: "${deep("V.v39")} == 9841.0" } } }`,
      `  variables:\n    local:\n${chain}\n`,
    );
    const { compiled } = compile([{ path: "p.yaml", text: policy }], { digest });
    expect(Object.values(compiled?.bundle.shapes ?? {}).map(refusalOf)).toEqual([undefined]);
    expect(told(ask(evaluatorOf(policy), ["user"], "doc", ["view"], { R: { n: 1 } }))).toEqual(["view: ALLOW by resource.doc.vdefault"]);
  });
});
