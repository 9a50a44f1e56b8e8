/** A thousand roles, a hundred scopes: the same decisions as one by one, and never more work than a check may cost. */
import { describe, expect, it } from "vitest";
import { mostWork, tooMuchWork, withWork } from "../../../runtime/cel/work.ts";
import { remembering } from "../../../runtime/decide/remember.ts";
import { ask, evaluatorOf, told } from "./policies.ts";
import { resource, role, rule } from "./policies-of-all-types.ts";

const scopes = Array.from({ length: 100 }, (_, depth) => Array.from({ length: depth }, (_each, at) => `s${at}`).join("."));
const deepest = scopes.at(-1) ?? "";
const thousand = Array.from({ length: 1_000 }, (_, at) => `r${at}`);

describe("a hundred scopes", () => {
  const evaluator = evaluatorOf(
    ...scopes.map((scope, depth) => resource("k", [`allow a${depth} to r${depth}`, `deny b${depth} to team_${depth}_*`], { scope })),
  );
  const asked = (roles: readonly string[], actions: readonly string[]) =>
    withWork(mostWork, 10, () =>
      told(ask(evaluator, roles, "k", actions, { input: { resource: { kind: "k", id: "1", scope: deepest } } })),
    );

  it("are searched for each of a thousand roles", () => {
    expect(asked([...thousand].reverse(), ["a99", "a50", "a0", "none"])).toEqual([
      `a99: ALLOW by resource.k.vdefault/${deepest} in ${scopes[99]}`,
      `a50: ALLOW by resource.k.vdefault/${deepest} in ${scopes[50]}`,
      `a0: ALLOW by resource.k.vdefault/${deepest}`,
      `none: DENY by resource.k.vdefault/${deepest}`,
    ]);
  });

  it("and for patterns that only some of them match", () => {
    expect(asked([...thousand, "team_7_x", "team_70_x"], ["b7", "b70"])).toEqual([
      `b7: DENY by resource.k.vdefault/${deepest} in ${scopes[7]}`,
      `b70: DENY by resource.k.vdefault/${deepest} in ${scopes[70]}`,
    ]);
  });

  it("are decided the same for one role as among others that nobody knows", () => {
    for (const action of ["a3", "b4", "a5"])
      expect(asked(["x", "r3", "y", "team_4_1", "z", "x2"], [action])).toEqual(asked(["r3", "team_4_1"], [action]));
  });
});

describe("what costs too much", () => {
  const rows = Array.from({ length: 250 }, (_, at) => rule(`deny y${at} to r${at}`));
  const evaluator = evaluatorOf(...scopes.slice(0, 40).map((scope) => resource("k", rows, { scope })));
  const inputs = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      principal: { id: "ann", roles: thousand },
      resource: { kind: "k", id: String(at), scope: scopes[39] ?? "" },
      actions: Array.from({ length: 50 }, (_each, action) => `x${action}`),
    }));
  const options = { now: 0, globals: {}, defaultPolicyVersion: "default", defaultScope: "", lenientScopeSearch: false };
  const check = (count: number) =>
    withWork(mostWork, 10, () =>
      evaluator.check(inputs(count), { ...options, strictEvaluation: false, evaluationErrors: false, effectivePolicies: false }),
    );

  it("is refused whole: a thousand roles that are all named everywhere, in fifty resources at once", () => {
    expect(() => check(50)).toThrow(expect.toSatisfy((thrown) => thrown === tooMuchWork));
    expect(check(1)[0]?.actions.get("x1")?.effect).toBe("EFFECT_DENY");
  });
});

it("role policies chained three hundred deep, in a circle, come to an end", () => {
  const chain = thousand.slice(0, 300).map((name, at) => role(name, [`r${(at + 1) % 300}`], ["k: a, b"]));
  const evaluator = evaluatorOf(resource("k", ["allow a, c to r299"]), ...chain);
  expect(told(ask(evaluator, ["r0"], "k", ["a", "b", "c"]))).toEqual([
    "a: ALLOW by resource.k.vdefault",
    "b: DENY by resource.k.vdefault",
    "c: DENY by role.r0.vdefault",
  ]);
});

it("a memory of names stays small, and answers what it would find", () => {
  let found = 0;
  const ask = remembering(10, (name) => {
    found++;
    return name.length;
  });
  const names = Array.from({ length: 10 }, (_, at) => `n${at}`);
  for (const name of [...names, ...names]) expect(ask(name)).toBe(2);
  expect(found).toBe(10);
  for (let at = 0; at < 1_000; at++) expect(ask(`flood ${at}`)).toBe(`flood ${at}`.length);
  const long = "x".repeat(10_000);
  const before = found;
  expect([ask(long), ask(long)]).toEqual([10_000, 10_000]);
  expect(found - before).toBe(2);
});
