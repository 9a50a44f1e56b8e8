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
import { optionsOf } from "../../golden/settings.ts";
import { digest, resourcePolicy } from "../../runtime/decide/policies.ts";

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

describe.each(decideFolders())("no pass changes golden/decide/$name", ({ sources, schemas, cases }) => {
  it.each(passes.map((pass) => [pass.name, pass] as const))("%s", (_, pass) => {
    const { compiled } = compile(sources, { digest });
    if (compiled === undefined) throw new Error("golden policies compile");
    const table = lower(compiled.policySet);
    const changed = pass(table);
    // Most policies have nothing for a pass to do: the table is the same one then.
    if (changed.units === table.units) return;
    const [plain, passed] = [evaluator(table), evaluator(changed)];
    for (const { settings, principal, auxData, asked } of cases) {
      const inputs = asked.map(({ resource, actions }) => ({ principal, resource, actions, ...(auxData !== undefined && { auxData }) }));
      for (const strictEvaluation of [false, true]) {
        // Errors are named once: strict evaluation asks the interpreter anyway.
        const options = { ...optionsOf(settings, schemas), strictEvaluation, evaluationErrors: !strictEvaluation };
        expect(passed.check(inputs, options)).toEqual(plain.check(inputs, options));
      }
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
    // Zones are those of the machine that decides.
    ["expr: timestamp(0).getHours('Local') >= 0", "timestamp(0).getHours('Local') >= 0"],
    ["expr: timestamp(0).getDate('Asia/Tokyo') == 1", "timestamp(0).getDate('Asia/Tokyo') == 1"],
    ["expr: timestamp(0).getHours() == 0 && duration('1h').getHours() == 1", "-"],
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

describe("folding beside outputs", () => {
  const tells = 'output: { when: { ruleActivated: "1", conditionNotMet: "2" } }';
  const always = "condition: { match: { expr: 1 < 2 } }";
  const rowsOf = (text: string) => foldConstantConditions(tableOf(text)).units.flatMap(({ scopes }) => scopes.flatMap(({ rows }) => rows));

  it("drops what a row would tell that always holds, and keeps what it tells", () => {
    const [row] = rowsOf(resourcePolicy("doc", `- { actions: [view], effect: EFFECT_ALLOW, roles: [user], ${always}, ${tells} }`));
    expect([row?.condition, row?.output?.met?.text, row?.output?.notMet]).toEqual([undefined, "1", undefined]);
  });

  it("keeps a condition by which a row of a role policy counts", () => {
    const role = (rules: string): string =>
      `apiVersion: api.authz.dev/v1\nrolePolicy:\n  role: clerk\n  version: default\n  rules: [${rules}]\n`;
    const [silent, telling] = rowsOf(
      role(`{ resource: doc, allowActions: [view], ${always} }, { resource: doc, allowActions: [edit], ${always}, ${tells} }`),
    );
    expect([silent?.condition !== undefined, telling?.condition]).toEqual([true, undefined]);
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

  it("leaves every row what it tells", () => {
    const told = (role: string, text: string): string => rule(role, "R.attr.x").replace(" } }", `} }, output: { expr: '"${text}"' }`);
    const [unit] = shareConditions(tableOf(resourcePolicy("doc", [told("a", "1"), told("b", "2")].join("\n")))).units;
    const scope = unit?.scopes[0];
    expect(scope?.rows.map(({ output }) => output?.met?.text)).toEqual(['"1"', '"2"']);
    expect(scope?.rows[1]?.condition).toBe(scope?.rows[0]?.condition);
  });

  it("puts parts within parts into words that do not double with each", () => {
    const levels = 60;
    const inner = `${"{ all: { of: [{ expr: R.id == 'a' }, { any: { of: [{ expr: R.id == 'b' }, ".repeat(levels / 2)}{ expr: R.id == 'c' }${"] } }] } }".repeat(levels / 2)}`;
    const rule = (action: string): string =>
      `    - actions: ["${action}"]\n      effect: EFFECT_ALLOW\n      roles: [user]\n      condition: { match: ${inner} }`;
    const table = tableOf(resourcePolicy("doc", [rule("a"), rule("b")].join("\n")));
    const [one, other] = shareConditions(table).units[0]?.scopes[0]?.rows ?? [];
    expect(one?.condition).toBeDefined();
    expect(one?.condition).toBe(other?.condition);
  });

  it("changes nothing where nothing is shared", () => {
    const table = tableOf(resourcePolicy("doc", rule("a", "R.attr.x")));
    expect(shareConditions(table).units).toBe(table.units);
  });
});
