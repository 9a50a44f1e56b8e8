/** How many steps a condition may take (D46), as `engine.maxEvaluationSteps` says: in the realm, in process, and where errors are named. */
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { compile } from "../../compiler/index.ts";
import { defaultStepLimit, withStepLimit } from "../../runtime/cel/step-limit.ts";
import { decideWith, openDoor } from "../../runtime/door/open-door.ts";
import { evaluateInThisRealm, load } from "../../runtime/load.ts";
import { open } from "./sandbox/open.ts";

const roles = `
apiVersion: api.authz.dev/v1
derivedRoles:
  name: common
  definitions:
    - { name: patient, parentRoles: [user], condition: { match: { expr: "R.attr.list.all(x, x >= 0)" } } }
`;
const policy = `
apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: memo
  version: default
  importDerivedRoles: [common]
  variables: { local: { same: "R.attr.list.filter(x, x >= 0)" } }
  rules:
    - { actions: [once], effect: EFFECT_ALLOW, roles: [user], condition: { match: { expr: "R.attr.list.all(x, x >= 0)" } } }
    - actions: [twice]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: { match: { all: { of: [{ expr: "R.attr.list.all(x, x >= 0)" }, { expr: "R.attr.list.all(x, x < 1000000000)" }] } } }
    - { actions: [within], effect: EFFECT_ALLOW, roles: [user], condition: { match: { expr: "R.attr.list.all(x, R.attr.list.exists(y, y == x))" } } }
    - { actions: [named], effect: EFFECT_ALLOW, roles: [user], condition: { match: { expr: "V.same.all(x, x >= 0)" } } }
    - { actions: [absorbed], effect: EFFECT_ALLOW, roles: [user], condition: { match: { expr: "R.attr.list.exists(x, x < 0) || true" } } }
    - { actions: [derived], effect: EFFECT_ALLOW, derivedRoles: [patient] }
    - actions: [output]
      effect: EFFECT_ALLOW
      roles: [user]
      output: { when: { ruleActivated: "R.attr.list.filter(x, x >= 0).size()" } }
`;
const files = [
  { path: "roles.yaml", text: roles },
  { path: "memo.yaml", text: policy },
];
const { compiled, diagnostics } = compile(files, { digest: (text) => createHash("sha256").update(text).digest("hex") });
if (compiled === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
const { bundle } = compiled;

const count = (length: number): readonly number[] => Array.from({ length }, (_, at) => at);
const principal = { id: "ann", roles: ["user"] };

function realmWith(settings: object): (action: string, length: number) => string {
  const realm = open();
  realm.configure(JSON.stringify(settings));
  realm.load(JSON.stringify(bundle));
  return (action, length) => {
    const resource = { kind: "memo", id: "1", attr: { list: count(length) } };
    return realm.checkResources(JSON.stringify({ principal, resources: [{ actions: [action], resource }] }), "", 0);
  };
}

const door = openDoor(decideWith(load(bundle, evaluateInThisRealm)), {}, { clock: () => 0, report: () => undefined, policySet: "" });
const allows = (action: string, length: number): boolean =>
  door.isAllowed(principal, { kind: "memo", id: "1", attr: { list: count(length) } }, action);
const allowsWithin = (steps: number, action: string, length: number): boolean => withStepLimit(steps, () => allows(action, length));

describe("with 12,000 steps", () => {
  const asking = realmWith({ maxEvaluationSteps: 12_000 });
  test.each([
    ["one loop", "once", 12_000],
    ["two leaves of a condition together", "twice", 6000],
    ["a loop within another, which finds the item after as many turns", "within", 153],
    ["a variable's loop, and apart from it the condition's", "named", 12_000],
    ["a loop whose result decides nothing", "absorbed", 12_000],
    ["a derived role's condition", "derived", 12_000],
  ])("%s takes them all, and not one more", (_, action, longest) => {
    for (const [length, effect] of [
      [longest, "EFFECT_ALLOW"],
      [longest + 1, "EFFECT_DENY"],
    ] as const) {
      expect(/"EFFECT_\w+"/.exec(asking(action, length))?.[0]).toBe(`"${effect}"`);
      expect(allowsWithin(12_000, action, length)).toBe(effect === "EFFECT_ALLOW");
    }
  });
});

test("an output that takes too many is left out, and the check is answered", () => {
  const asking = realmWith({ maxEvaluationSteps: 12_000 });
  const told = (length: number): unknown => {
    const { results } = JSON.parse(asking("output", length).slice(1));
    return { actions: results[0].actions, value: results[0].outputs?.[0]?.val };
  };
  expect([told(12_000), told(12_001)]).toEqual([
    { actions: { output: "EFFECT_ALLOW" }, value: 12_000 },
    { actions: { output: "EFFECT_ALLOW" }, value: undefined },
  ]);
});

test("the error that is recorded says how many there were", () => {
  const asking = realmWith({ maxEvaluationSteps: 12_000, tells: "decisions" });
  const told = (length: number): string | undefined => /too many steps: [^"]*/.exec(asking("once", length))?.[0];
  expect([told(12_001), told(12_000)]).toEqual(["too many steps: more than 12000", undefined]);
});

test("each check has its own, whoever was asked before", () => {
  const [few, usual] = [realmWith({ maxEvaluationSteps: 12_000 }), realmWith({})];
  const effects = [few("once", 12_001), usual("once", 12_001), few("once", 12_001)].map((text) => /EFFECT_\w+/.exec(text)?.[0]);
  expect(effects).toEqual(["EFFECT_DENY", "EFFECT_ALLOW", "EFFECT_DENY"]);
  expect(() =>
    withStepLimit(12_000, () => {
      throw new Error("whatever ends it");
    }),
  ).toThrow("whatever ends it");
  expect(allows("once", 12_001)).toBe(true);
});

test("more than the usual may be had, within the work of a check", () => {
  const length = defaultStepLimit + 1;
  expect([allows("once", length), allowsWithin(length, "once", length)]).toEqual([false, true]);
});
