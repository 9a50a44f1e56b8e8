/** A thousand roles, a hundred scopes: the same decisions as one by one, and never more work than a check may cost. */
import { describe, expect, it } from "vitest";
import { maxWork, tooMuchWork, withWork } from "../../../runtime/cel/work.ts";
import { memoized } from "../../../runtime/decide/memoize.ts";
import { spentOn } from "../spent-on.ts";
import { ask, evaluatorOf, options, told } from "./policies.ts";
import { resource, role, rule } from "./policies-of-all-types.ts";

const scopes = Array.from({ length: 100 }, (_, depth) => Array.from({ length: depth }, (_each, at) => `s${at}`).join("."));
const deepest = scopes.at(-1) ?? "";
const thousand = Array.from({ length: 1_000 }, (_, at) => `r${at}`);

describe("a hundred scopes", () => {
  const evaluator = evaluatorOf(
    ...scopes.map((scope, depth) => resource("k", [`allow a${depth} to r${depth}`, `deny b${depth} to team_${depth}_*`], { scope })),
  );
  const asked = (roles: readonly string[], actions: readonly string[]) =>
    withWork(maxWork, 10, () => told(ask(evaluator, roles, "k", actions, { input: { resource: { kind: "k", id: "1", scope: deepest } } })));

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

describe("roles that share their policies, where outputs are told", () => {
  const output = (value: string) => ({ output: { when: { ruleActivated: `"${value}"` } } });
  const evaluator = evaluatorOf(
    resource("k", [rule("deny a to clerk, guest", output("no")), rule("allow a to boss", output("yes")), "allow b to clerk"]),
  );
  const asked = (roles: readonly string[]) => {
    const { actions, outputs } = ask(evaluator, roles, "k", ["a", "b"]);
    return [actions.get("a")?.effect, actions.get("b")?.effect, ...outputs.map(({ val }) => val)];
  };
  const [deny, allow] = ["EFFECT_DENY", "EFFECT_ALLOW"];

  it.each<[roles: readonly string[], wanted: readonly unknown[]]>([
    [
      ["x", "y", "boss"],
      [allow, deny, "yes"],
    ],
    [
      ["x", "y", "clerk"],
      [deny, allow, "no"],
    ],
    [
      ["clerk", "x", "y", "clerk", "boss"],
      [allow, allow, "no", "no", "yes"],
    ],
    [
      ["x", "clerk", "y", "guest", "z", "boss", "clerk"],
      [allow, allow, "no", "no", "yes"],
    ],
    [
      ["boss", "x", "y", "clerk"],
      [allow, allow, "yes"],
    ],
    [
      ["x", "y", "clerk", "guest", "clerk"],
      [deny, allow, "no", "no", "no"],
    ],
    [
      ["x", "y", "z"],
      [deny, deny],
    ],
  ])("are decided one after the other: %j", (roles, wanted) => {
    expect(asked(roles)).toEqual(wanted);
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
  const check = (count: number) => withWork(maxWork, 10, () => evaluator.check(inputs(count), options));

  it("is refused whole: a thousand roles that are all named everywhere, in fifty resources at once", () => {
    expect(() => check(50)).toThrow(expect.toSatisfy((thrown) => thrown === tooMuchWork));
    expect(check(1)[0]?.actions.get("x1")?.effect).toBe("EFFECT_DENY");
  });
});

describe("what is asked is paid for", () => {
  const spread = (count: number) => Array.from({ length: count }, (_, at) => rule(`deny y${at} to r${at}`));
  const asking = (rows: readonly (string | object)[], actions: readonly string[]): number => {
    const evaluator = evaluatorOf(resource("k", rows));
    // The second time, so that finding the way is not part of it.
    ask(evaluator, ["r0"], "k", actions);
    return spentOn(() => ask(evaluator, ["r0"], "k", actions));
  };

  it.each<[what: string, dear: readonly (string | object)[], cheap: readonly (string | object)[], action: string, atLeast: number]>([
    ["names that are compared one after the other", spread(20), spread(1), "x", 30],
    ["rows about one action", Array.from({ length: 100 }, () => rule("allow y to r0 if R.attr.open")), spread(1), "y", 700],
    ["patterns of roles", [rule(`deny y to ${thousand.join(", ")}`)], spread(1), "y", 100],
    ["globs of actions", Array.from({ length: 50 }, (_, at) => rule(`deny y${at}* to r0`)), spread(1), "x", 500],
    ["globs that must be searched", [rule("deny *a*b*c* to r0")], spread(1), "x".repeat(100), 700],
    [
      "long names",
      [rule(`deny ${Array.from({ length: 20 }, (_, at) => "x".repeat(999) + String(at)).join(", ")} to r0`)],
      spread(20),
      "x".repeat(1000),
      200,
    ],
  ])("%s", (_what, dear, cheap, action, atLeast) => {
    expect(asking(dear, [action]) - asking(cheap, [action])).toBeGreaterThan(atLeast);
  });

  it("but not names that are looked up", () => {
    expect(asking(spread(2000), ["x"])).toBeLessThan(asking(spread(200), ["x"]) * 5);
  });

  it("and so is finding the way of each role", () => {
    const evaluator = evaluatorOf(...scopes.slice(0, 10).map((scope) => resource("k", spread(500), { scope })));
    const input = { resource: { kind: "k", id: "1", scope: scopes[9] ?? "" } };
    const cold = spentOn(() => ask(evaluator, thousand, "k", ["x"], { input }));
    const warm = spentOn(() => ask(evaluator, thousand, "k", ["x"], { input }));
    expect(cold - warm).toBeGreaterThan(500 * 10 * 48);
  });
});

describe("a large request about ordinary policies is far from the bound", () => {
  const actions = Array.from({ length: 50 }, (_, at) => `action_${at}`);
  const rules = actions
    .slice(0, 12)
    .map((action, at) => rule(`${at % 4 === 0 ? "deny" : "allow"} ${action} to role_${at % 6}, manager if R.attr.owner == P.id`));
  const evaluator = evaluatorOf(
    ...["", "acme", "acme.hr", "acme.hr.uk"].map((scope) =>
      resource("k", [...rules, rule("allow view:* to employee"), rule("allow * to admin")], { scope }),
    ),
  );
  const spent = (roles: readonly string[], resources: number): number =>
    spentOn(() =>
      evaluator.check(
        Array.from({ length: resources }, (_, at) => ({
          principal: { id: "ann", roles },
          resource: { kind: "k", id: String(at), scope: "acme.hr.uk" },
          actions,
        })),
        options,
      ),
    );

  it("fifty actions of fifty resources for fifty roles", () => {
    const roles = [...Array.from({ length: 48 }, (_, at) => `role_${at}`), "manager", "employee"];
    expect(spent(roles, 50) * 20).toBeLessThan(maxWork);
  });

  it("a thousand roles", () => {
    expect(spent([...thousand, "role_1", "manager"], 50) * 20).toBeLessThan(maxWork);
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
  const ask = memoized(10, (name) => {
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

describe("half a million roles that nobody knows", () => {
  const unknown = Array.from({ length: 100_000 }, (_, at) => `u${at}`);
  const evaluator = evaluatorOf(resource("k", [rule("deny y to r0"), rule("deny z to r1")]));
  const actions = Array.from({ length: 50 }, (_, at) => `x${at}`);

  it.each([
    ["before the one that is known", [...unknown, "r0", "r1"]],
    ["after it", ["r0", "r1", ...unknown]],
    ["on either side of it", [...unknown.slice(0, 50_000), "r0", ...unknown.slice(50_000), "r1"]],
  ])("cost as little for fifty actions as for one: %s", (_where, roles) => {
    const one = spentOn(() => ask(evaluator, roles, "k", ["x0"]));
    expect(spentOn(() => ask(evaluator, roles, "k", actions)) - one).toBeLessThan(20_000);
    expect(told(ask(evaluator, roles, "k", ["y", "z"]))).toEqual(told(ask(evaluator, ["r0", "r1"], "k", ["y", "z"])));
  });
});
