/** Each optimisation leaves decisions as they are, and does what it is for. */
import { describe, expect, it } from "vitest";
import { emit } from "../../../compiler/emit/unit.ts";
import { compile } from "../../../compiler/index.ts";
import { foldConstantConditions } from "../../../compiler/optimize/fold-constant-conditions.ts";
import { passes } from "../../../compiler/optimize/index.ts";
import { shareConditions } from "../../../compiler/optimize/share-conditions.ts";
import { pack } from "../../../compiler/pack.ts";
import { lower } from "../../../compiler/table/lower.ts";
import { printTable } from "../../../compiler/table/print.ts";
import type { DecisionTable } from "../../../compiler/table/table.ts";
import { evaluateInThisRealm, load, type Loaded } from "../../../runtime/load.ts";
import { decideFolders } from "../../golden/cases.ts";
import { digest, options, resourcePolicy } from "../../runtime/decide/policies.ts";

const evaluator = (table: DecisionTable): Loaded =>
  load(
    pack(
      table.units.map((unit) => emit(unit, { digest })),
      { digest },
    ),
    evaluateInThisRealm,
  );

function tableOf(...texts: readonly string[]): DecisionTable {
  const { compiled } = compile(
    texts.map((text, at) => ({ path: `p${at}.yaml`, text })),
    { digest },
  );
  if (compiled === undefined) throw new Error("these policies compile");
  return lower(compiled.policySet);
}

describe.each(decideFolders())("no pass changes golden/decide/$name", ({ sources, cases }) => {
  it.each(passes.map((pass) => [pass.name, pass] as const))("%s", (_, pass) => {
    const { compiled } = compile(sources, { digest });
    if (compiled === undefined) throw new Error("golden policies compile");
    const table = lower(compiled.policySet);
    const [plain, passed] = [evaluator(table), evaluator(pass(table))];
    const inputs = cases.map((each) => each.request);
    for (const strictEvaluation of [false, true]) {
      const asked = { ...options, strictEvaluation, evaluationErrors: true };
      expect(passed.check(inputs, asked)).toEqual(plain.check(inputs, asked));
    }
  });
});

describe("folding constant conditions", () => {
  it.each<[expr: string, becomes: string]>([
    ["expr: 1 < 2", "-"],
    ['expr: \'"a" in ["a", "b"]\'', "-"],
    ["expr: '1 > 2'", "1 > 2"],
    ["expr: '1 / 0 == 1'", "1 / 0 == 1"],
    ["expr: '1 + 1'", "1 + 1"],
    ['expr: now() > timestamp("2020-01-01T00:00:00Z")', 'now() > timestamp("2020-01-01T00:00:00Z")'],
    ["expr: R.attr.a", "R.attr.a"],
    ["all: { of: [{ expr: 1 < 2 }, { expr: R.attr.a }] }", "R.attr.a"],
    ["all: { of: [{ expr: R.attr.a }, { expr: 1 > 2 }, { expr: R.attr.b }] }", "all of (R.attr.a; 1 > 2)"],
    ["all: { of: [{ expr: 1 < 2 }, { expr: 2 < 3 }] }", "-"],
    ["any: { of: [{ expr: 1 > 2 }, { expr: R.attr.a }] }", "R.attr.a"],
    ["any: { of: [{ expr: R.attr.a }, { expr: 1 < 2 }, { expr: R.attr.b }] }", "any of (R.attr.a; 1 < 2)"],
    ["any: { of: [{ expr: 1 < 2 }, { expr: R.attr.a }] }", "-"],
    ["none: { of: [{ expr: 1 > 2 }] }", "-"],
    ["none: { of: [{ expr: 1 < 2 }, { expr: R.attr.a }] }", "false"],
    ["none: { of: [{ expr: R.attr.a }, { expr: 1 > 2 }] }", "none of (R.attr.a)"],
  ])("%s becomes %s", (match, becomes) => {
    const table = tableOf(
      resourcePolicy("doc", `- actions: [view]\n  effect: EFFECT_ALLOW\n  roles: [user]\n  condition:\n    match:\n      ${match}`),
    );
    const [, heading = "", row = ""] = printTable(foldConstantConditions(table)).split("\n");
    expect(row.slice(heading.indexOf("when"), heading.lastIndexOf("at")).trim()).toBe(becomes);
  });
});

describe("sharing conditions", () => {
  const rule = (role: string, expr: string): string =>
    `- { actions: [view], effect: EFFECT_ALLOW, roles: [${role}], condition: { match: { expr: "${expr}" } } }`;

  it("makes equal ones of one policy one, and leaves others alone", () => {
    const table = tableOf(
      resourcePolicy("doc", [rule("a", "R.attr.x"), rule("b", "R.attr.y"), rule("c", "R.attr.x")].join("\n")),
      resourcePolicy("other", rule("a", "R.attr.x")),
    );
    const [doc, other] = shareConditions(table).units.map((unit) => unit.scopes[0]?.rows.map((row) => row.condition) ?? []);
    expect(doc?.[2]).toBe(doc?.[0]);
    expect(doc?.[1]).not.toBe(doc?.[0]);
    expect(other?.[0]).not.toBe(doc?.[0]);
  });
});
