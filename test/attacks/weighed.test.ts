/** What passes the gate and would hold the server up, or fill its memory, is refused as a whole: a step is counted, and weighed. */
import { createHash } from "node:crypto";
import { expect, describe, test } from "vitest";
import { compile } from "../../compiler/index.ts";
import type { Bundle } from "../../runtime/bundle.ts";
import { refusalOf } from "../../runtime/sandbox/gate/index.ts";
import { openRealm } from "../../runtime/sandbox/realm.ts";
import { bundleOf } from "../runtime/sandbox/open.ts";
import { gatedTexts } from "./realms.ts";
import { doubling, heavy, heavyPolicies, ordered, type Heavy } from "./tables/weigh-down.ts";

const texts = await gatedTexts();
const settings = JSON.stringify({ maxValuesPerRequest: 1_000_000, maxResourcesPerRequest: 10_000 });

/** What a server answers that has this bundle. */
function answerOf(
  bundle: Bundle,
  { attr = {}, roles = ["user"], action = "view", times = 1, includeMeta = false }: Partial<Heavy>,
): string {
  const realm = openRealm(texts);
  realm.configure(settings);
  realm.load(JSON.stringify(bundle));
  const resources = Array.from({ length: times }, (_, id) => ({
    actions: [action],
    resource: { kind: "memo", id: `${id}`, attr: id === 0 ? attr : {} },
  }));
  return realm.checkResources(JSON.stringify({ includeMeta, principal: { id: "ann", roles }, resources }), "CALL", 0);
}

const tooMuch = /^3\{"code":3,"message":"the check costs too much/;

describe("a program that the gate admits", () => {
  test.each(heavy.map((one) => [one.it, one] as const))("%s", (_it, one) => {
    expect(refusalOf(one.program)).toBeUndefined();
    const bundle = bundleOf(one.program);
    const units = bundle.units.map((unit) => ({ ...unit, constants: [...(one.constants ?? []), ""] }));
    expect(answerOf({ ...bundle, units }, one)).toMatch(tooMuch);
  });

  test("lists have no order, and are not made to texts to find one", () => {
    expect(refusalOf(ordered.program)).toBeUndefined();
    const bundle = bundleOf(ordered.program);
    expect(answerOf({ ...bundle, units: bundle.units.map((unit) => ({ ...unit, constants: [""] })) }, ordered)).toMatch(/^0.*EFFECT_ALLOW/);
  });

  test("loops that call the next ones twice are refused at once", () => {
    expect(refusalOf(doubling)).toContain("calls that come to more than a program can have");
  });
});

const policy = (variables: Readonly<Record<string, string>>, condition: string): Bundle => {
  const local = Object.entries(variables).map(([name, expression]) => `      ${name}: '${expression}'\n`);
  const text = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: memo
  version: default
${local.length === 0 ? "" : `  variables:\n    local:\n${local.join("")}`}  rules:
    - { actions: [view], effect: EFFECT_ALLOW, roles: [user], condition: { match: { expr: '${condition}' } } }
`;
  const digest = (of: string): string => createHash("sha256").update(of).digest("hex");
  const { compiled, diagnostics } = compile([{ path: "memo.yaml", text }], { digest });
  if (compiled === undefined) throw new Error(JSON.stringify(diagnostics));
  return compiled.bundle;
};

describe("a policy", () => {
  test.each(heavyPolicies.map((one) => [one.it, one] as const))("%s", (_it, { variables, condition, attr }) => {
    expect(answerOf(policy(variables, condition), { attr })).toMatch(tooMuch);
  });
});

describe("what is honest is answered", () => {
  const numbers = Array.from({ length: 1_000 }, (_, at) => at);
  const people = Array.from({ length: 2_000 }, (_, at) => ({ id: `p${at}`, team: "red", level: at }));
  test.each([
    ["a million steps", {}, "R.attr.list.all(x, R.attr.list.all(y, x + y >= 0.0)) || true", { list: numbers.slice(0, 990) }],
    [
      "a list for each of many",
      { made: "R.attr.people.map(p, [p.id, p.team])" },
      "V.made.size() == 2000 && V.made.all(m, size(m) == 2)",
      { people },
    ],
    ["maps of many", { made: 'R.attr.people.map(p, {"id": p.id, "level": p.level})' }, 'V.made.exists(m, m["level"] == 1999)', { people }],
    [
      "a long condition beside a small loop",
      {},
      `R.attr.list.all(x, R.attr.list.all(y, x >= 0 && y >= 0)) && (${Array.from({ length: 300 }, (_, at) => `R.attr.level == ${at}`).join(" || ")})`,
      { list: numbers.slice(0, 990), level: 7 },
    ],
    [
      "long texts",
      {},
      'R.attr.text.lowerAscii().contains("needle") && R.attr.text.split(" ").size() > 1',
      { text: `${"hay ".repeat(5_000)}needle` },
    ],
  ] as const)("%s", (_it, variables, condition, attr) => {
    expect(answerOf(policy(variables, condition), { attr })).toMatch(/^0.*EFFECT_ALLOW/);
  });
});
