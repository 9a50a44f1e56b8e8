/** The trial of foreign bundles: honest ones pass, and programs that differ from their own conditions do not. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { compile } from "../../compiler/index.ts";
import type { Bundle, BundledUnit } from "../../runtime/bundle.ts";
import { digest } from "../../src/texts/digest.ts";
import { sourcesOf } from "../agree/judge.ts";
import { makeTrial } from "../agree/run.ts";
import { bundleOf, rebuilt, tryOut } from "../bundle/try-out.ts";
import { decideFolders } from "../golden/cases.ts";
import { openWithoutGate } from "../runtime/sandbox/open.ts";

const tour = join(import.meta.dirname, "..", "..", "golden", "tour", "policies");
const expenses = bundleOf(
  ...readdirSync(tour)
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => readFileSync(join(tour, name), "utf8")),
);

describe("honest bundles pass", () => {
  test("golden/tour", () => expect(tryOut(expenses)).toBe(""));

  test("golden/decide", () => {
    for (const { name, sources } of decideFolders()) {
      const { compiled } = compile(sources, { digest });
      if (compiled !== undefined) expect([name, tryOut(compiled.bundle)]).toEqual([name, ""]);
    }
  });

  const seed = Number(process.env["AUTHZ_SEED"] ?? 8);
  test(`random policies (AUTHZ_SEED=${seed})`, () => {
    let tried = 0;
    for (let set = 0; set < 12; set++) {
      const { compiled } = compile(sourcesOf(makeTrial(seed, set).documents), { digest });
      if (compiled === undefined) continue;
      expect([set, tryOut(compiled.bundle)]).toEqual([set, ""]);
      tried++;
    }
    expect(tried).toBeGreaterThan(9);
  });

  test("an empty one", () => expect(tryOut({ ...expenses, shapes: {}, units: [] })).toBe(""));
});

const otherwise = /^resource expense@default: its program decides otherwise than its own conditions say \(condition \d: /;
const replaced =
  (from: string, to: string) =>
  (text: string): string => {
    expect(text).toContain(from);
    return text.replace(from, () => to);
  };
const constant =
  (from: unknown, to: string | number) =>
  (unit: BundledUnit): BundledUnit => {
    expect(unit.constants).toContain(from);
    return { ...unit, constants: unit.constants.map((each) => (each === from ? to : each)) };
  };

describe("a bundle is refused whose program", () => {
  test.each<[sentence: string, bundle: Bundle, because: RegExp]>([
    ["compares the other way round", rebuilt(expenses, { program: replaced("n8 < k3", "n8 > k3") }), otherwise],
    ["leaves out one of two terms", rebuilt(expenses, { program: replaced(" && rt.equal(n2(q.R), n2(q.P)) === true", "") }), otherwise],
    ["asks whether something is unequal", rebuilt(expenses, { program: replaced("n3(q.R) === k4", "n3(q.R) !== k4") }), otherwise],
    ["reads another attribute", rebuilt(expenses, { program: (text) => text.replaceAll("status", "state") }), otherwise],
    ["is given another limit", rebuilt(expenses, { unit: constant(1000, 1002) }), otherwise],
    ["is given another word", rebuilt(expenses, { unit: constant("PAID", "paid") }), otherwise],
    [
      "asks one condition under the index of another",
      rebuilt(expenses, { program: replaced("q.holds(first + 3, n5)", "q.holds(first + 3, n7)") }),
      otherwise,
    ],
    [
      "asks a condition that the unit does not have",
      rebuilt(expenses, { program: replaced("q.holds(first + 3, n5)", "q.holds(first + 44, n5)") }),
      /it asks for condition 44, which the unit does not have$/,
    ],
    [
      "lists a derived role whatever its condition is",
      rebuilt(expenses, { program: replaced("q.hasRole(k1) && q.holds(first + 0, n5) && k2", "q.hasRole(k1) && k2") }),
      /lists the derived role `owner`, whose condition does not hold$/,
    ],
    [
      "lists a derived role that the policy does not have",
      rebuilt(expenses, { unit: constant("owner", "admin") }),
      /it lists derived roles that the policy does not have/,
    ],
    [
      "takes others for those who have a role",
      rebuilt(expenses, { unit: constant(1, 3) }),
      /it decides about an action that none of its rows is about$/,
    ],
    ["has no part for its scope", rebuilt(expenses, { unit: constant("", "acme") }), /it fails: .*one part for each of its scopes/],
  ])("%s", (_sentence, bundle, because) => {
    expect(tryOut(bundle)).toMatch(because);
  });

  test.each<[sentence: string, bundle: Bundle]>([
    ["an effect that is turned round", rebuilt(expenses, { program: (text) => text.replaceAll("rt.DENY", "rt.ALLOW") })],
    ["a difference that only a value shows which nobody names", rebuilt(expenses, { unit: constant(1000, 999.75) })],
  ])("cannot be told from an honest one by %s: who builds bundles decides what is allowed", (_sentence, bundle) => {
    expect(tryOut(bundle)).toBe("");
  });
});

/** A policy that allows what a condition says, with a variable, a constant, a derived role and an output. */
const saying = (condition: string, { variable = "1", role = "true", output = "1" } = {}): Bundle =>
  bundleOf(
    JSON.stringify({
      apiVersion: "api.authz.dev/v1",
      derivedRoles: { name: "roles", definitions: [{ name: "owner", parentRoles: ["user"], condition: { match: { expr: role } } }] },
    }),
    JSON.stringify({
      apiVersion: "api.authz.dev/v1",
      resourcePolicy: {
        resource: "memo",
        version: "default",
        importDerivedRoles: ["roles"],
        variables: { local: { said: variable } },
        constants: { local: { word: "red" } },
        rules: [
          {
            actions: ["view"],
            effect: "EFFECT_ALLOW",
            roles: ["user"],
            condition: { match: { expr: condition } },
            output: { when: { ruleActivated: output } },
          },
          { actions: ["edit"], effect: "EFFECT_ALLOW", derivedRoles: ["owner"] },
        ],
      },
    }),
  );

/** The same bundle whose program compares with something else than its trees. */
const withAnother = (bundle: Bundle, from: unknown, to: string | number): Bundle => rebuilt(bundle, { unit: constant(from, to) });

describe("requests are made of what conditions read, however they read it: a program that compares with another word is refused", () => {
  const elsewhere = /decides otherwise than its own conditions say|whose condition does not hold|does not list|tells? /;
  test.each<[reads: string, bundle: Bundle]>([
    ...[
      'P.attr.team == "red"',
      'request.principal.attr.team == "red"',
      'R.attr.team == "red"',
      'request.resource.attr.team == "red"',
      'request.auxData.jwt.team == "red"',
      'request.aux_data.jwt.team == "red"',
      'G.team == "red"',
      'globals.team == "red"',
      'R.attr["team"] == "red"',
      'R.attr.team.name == "red"',
      "R.attr.team == C.word",
      "R.attr.team == constants.word",
      'R.attr.teams[0] == "red"',
      'R.attr.teams.exists(t, t == "red")',
      'R.attr.teams.exists(t, t.name == "red")',
      'P.attr.teams.all(t, t != "red") && size(P.attr.teams) > 0',
      'P.attr.team.startsWith("red")',
      '"red" in P.attr.teams',
      '!("red" in R.attr.teams)',
      'R.attr.owner == P.id && R.attr.team == "red"',
      'request.principal.id == R.attr.owner && "red" in R.attr.teams',
      'hasIntersection(P.attr.teams, ["red", "green"])',
      '["green", "red"].isSubset(R.attr.teams)',
    ].map((condition): [string, Bundle] => [condition, withAnother(saying(condition), "red", "blue")]),
    ["a variable", withAnother(saying("V.said", { variable: 'R.attr.team == "red"' }), "red", "blue")],
    ["a variable of variables", withAnother(saying("variables.said == true", { variable: 'P.attr.a.b == "red"' }), "red", "blue")],
    ["a derived role", withAnother(saying("true", { role: 'P.attr.team == "red"' }), "red", "blue")],
    ["an output", withAnother(saying("true", { output: 'R.attr.team == "red"' }), "red", "blue")],
    ["a number below a limit", withAnother(saying("R.attr.size < 17"), 17, 16)],
    ["a number at a limit", withAnother(saying("R.attr.size <= 17"), 17, 18)],
    ["a number within what is read twice", withAnother(saying("R.attr.size > 17 && R.attr.size < 30"), 30, 29)],
  ])("%s", (_reads, bundle) => {
    expect(tryOut(bundle)).toMatch(elsewhere);
  });
});

describe("whatever type a policy has, a bundle is refused whose program", () => {
  const written = (of: object): string => JSON.stringify({ apiVersion: "api.authz.dev/v1", ...of });
  const rule = (condition: string): object => ({ effect: "EFFECT_ALLOW", condition: { match: { expr: condition } } });
  const ofRole = bundleOf(
    written({
      rolePolicy: {
        role: "clerk",
        rules: [{ resource: "memo", allowActions: ["view"], condition: { match: { expr: 'R.attr.team == "red"' } } }],
      },
    }),
  );
  const ofPrincipal = bundleOf(
    written({
      principalPolicy: {
        principal: "ann",
        version: "default",
        rules: [{ resource: "memo", actions: [{ action: "view", ...rule('R.attr.team == "red"') }] }],
      },
    }),
  );
  const twoRoles = bundleOf(
    written({ derivedRoles: { name: "roles", definitions: ["early", "late"].map((name) => ({ name, parentRoles: ["user"] })) } }),
    written({
      resourcePolicy: {
        resource: "memo",
        version: "default",
        importDerivedRoles: ["roles"],
        rules: [{ actions: ["view"], effect: "EFFECT_ALLOW", derivedRoles: ["early", "late"] }],
      },
    }),
  );
  const behindRole = bundleOf(
    written({
      derivedRoles: {
        name: "roles",
        definitions: [{ name: "owner", parentRoles: ["user"], condition: { match: { expr: 'R.attr.owner == "never such a name"' } } }],
      },
    }),
    written({
      resourcePolicy: {
        resource: "memo",
        version: "default",
        importDerivedRoles: ["roles"],
        rules: [{ actions: ["view"], derivedRoles: ["owner"], ...rule('R.attr.team == "red"') }],
      },
    }),
  );
  const swapped = (unit: BundledUnit): BundledUnit => ({
    ...unit,
    constants: unit.constants.map((each) => (each === "early" ? "late" : each === "late" ? "early" : each)),
  });
  // While roles are listed none is known yet: such a condition has an index of its own then.
  const role = (name: string, expr: string): object => ({ name, parentRoles: ["user"], condition: { match: { expr } } });
  const listedApart = bundleOf(
    written({
      derivedRoles: {
        name: "roles",
        definitions: [
          role("more", '!("other" in runtime.effectiveDerivedRoles) && R.attr.size < 5'),
          role("less", 'R.attr.size < 5 && R.attr.never == "such"'),
        ],
      },
    }),
    written({
      resourcePolicy: {
        resource: "memo",
        version: "default",
        importDerivedRoles: ["roles"],
        rules: [{ actions: ["view"], effect: "EFFECT_ALLOW", derivedRoles: ["more", "less"] }],
      },
    }),
  );
  const telling = saying("true", { output: "R.attr.team" });
  const tellingOne = bundleOf(
    written({
      resourcePolicy: {
        resource: "memo",
        version: "default",
        rules: [
          { actions: ["view"], roles: ["user"], ...rule('R.attr.team == "red"'), output: { when: { ruleActivated: "R.attr.tier" } } },
        ],
      },
    }),
  );
  const askingRoles = saying('"owner" in runtime.effectiveDerivedRoles');

  test.each<[sentence: string, bundle: Bundle, because: RegExp]>([
    [
      "allows what a role policy may only narrow",
      rebuilt(ofRole, { program: (text) => text.replaceAll("rt.NONE", "rt.ALLOW") }),
      /a role policy can only narrow$/,
    ],
    [
      "leaves to others what a role policy is not about",
      rebuilt(ofRole, { program: (text) => text.replaceAll("rt.DENY", "rt.NONE") }),
      /decides about an action that none of its rows is about$/,
    ],
    ["compares with another word for a principal", withAnother(ofPrincipal, "red", "blue"), /decides otherwise/],
    ["compares with another word behind a derived role", withAnother(behindRole, "red", "blue"), /decides otherwise/],
    [
      "asks for another of the derived roles that are held",
      withAnother(saying('"stranger" in runtime.effectiveDerivedRoles'), "stranger", "owner"),
      /decides otherwise/,
    ],
    [
      "lists a derived role by the condition of a narrower one",
      rebuilt(listedApart, { program: replaced("q.holds(first + 0, n2)", "q.holds(first + 0, n4)") }),
      /decides otherwise than its own conditions say \(condition 0: the derived role `more`\)$/,
    ],
    [
      "tells an output under the index of a condition",
      rebuilt(tellingOne, {
        program: (text) => text.replace(" && q.holds(first + 0, n2)", "").replace("q.output(first + 1,", "q.output(first + 0,"),
      }),
      /it tells output 0, which is none$/,
    ],
    [
      "asks a condition under the index of an output",
      rebuilt(tellingOne, {
        program: (text) =>
          text
            .replace(/q\.output\(.*\n/, "")
            .replace("q.holds(first + 0,", "q.holds(first + 1,")
            .replace(", k4]", "]")
            .replace("[[k4,", "[[k3,"),
        unit: (unit) => ({ ...unit, constants: unit.constants.filter((each) => each !== "resource.memo.vdefault#rule-001") }),
      }),
      /it asks for condition 1, which is none$/,
    ],
    [
      "lists derived roles in another order",
      rebuilt(twoRoles, { unit: swapped }),
      /derived roles that the policy does not have, or not in order$/,
    ],
    [
      "tells something in the name of another policy",
      rebuilt(telling, {
        unit: (unit) => ({
          ...unit,
          constants: unit.constants.map((each) =>
            typeof each === "string" ? each.replace(/^resource\.memo\.vdefault#/, "resource.memo.vother#") : each,
          ),
        }),
      }),
      /tells something in the name of another policy$/,
    ],
    [
      "tells another attribute",
      rebuilt(telling, { program: (text) => text.replaceAll("team", "tier") }),
      /decides otherwise than its own conditions say \(output/,
    ],
  ])("%s", (_sentence, bundle, because) => {
    expect(tryOut(bundle)).toMatch(because);
  });

  test.each(
    [ofRole, ofPrincipal, twoRoles, listedApart, telling, tellingOne, askingRoles].map((bundle) => [bundle.units[0]?.id, bundle] as const),
  )("%s is honest", (_id, bundle) => {
    expect(tryOut(bundle)).toBe("");
  });
});

describe("behind a gate that would admit it, a bundle is refused whose program", () => {
  const allowing = (more: object): Bundle => {
    const rules = [{ actions: ["view"], effect: "EFFECT_ALLOW", roles: ["*"], ...more }];
    return bundleOf(JSON.stringify({ apiVersion: "api.authz.dev/v1", resourcePolicy: { resource: "memo", version: "default", rules } }));
  };
  const [always, red] = [allowing({}), allowing({ condition: { match: { expr: 'R.attr.team == "red"' } } })];
  test.each<[sentence: string, bundle: Bundle, because: RegExp]>([
    [
      "allows no more when it has been asked some times",
      rebuilt(always, {
        program: (text) => text.replace("{", "{ let turns = 0;").replace("return rt.ALLOW;", "return turns++ > 10 ? rt.NONE : rt.ALLOW;"),
      }),
      /it answers the same question differently the second time$/,
    ],
    [
      "asks one condition by its own function, and by another",
      rebuilt(red, { program: (text) => text.replace(/q\.holds\(first \+ 0, n1\)/, "$& && q.holds(first + 0, () => true)") }),
      /decides otherwise/,
    ],
    [
      "asks one condition by what is no function",
      rebuilt(red, { program: replaced("q.holds(first + 0, n1)", "q.holds(first + 0, k0)") }),
      /it asks for condition 0, which is none$/,
    ],
  ])("%s", (_sentence, bundle, because) => {
    expect(tryOut(bundle, openWithoutGate())).toMatch(because);
  });
});
