/** What documents mean together: imports, names, variables in order, derived roles, and every mistake between them. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { constants, linked, resource, roles, variables, when, type Files } from "./harness.ts";

describe("the variables and constants of a policy are", () => {
  const policy = (body: string, condition: string): string =>
    resource(when(condition, `  constants: {local: {one: 1, two: 2, three: 3}}\n  variables: {local: {${body}}}\n`));
  // oxfmt-ignore
  test.each([
    // variables                                             condition                  kept variables         kept constants
    ["a: C.one, b: C.two",                                   "true",                    [],                    []],
    ["a: C.one, b: C.two",                                   "V.a > 0.0",               ["a"],                 ["one"]],
    ["a: V.b + V.c, b: V.d, c: V.d, d: C.one",               "V.a > 0.0",               ["d", "b", "c", "a"],  ["one"]],
    ["a: V.z, z: C.two",                                     "variables.a > constants.one", ["z", "a"],        ["one", "two"]],
    ["a: C.one",                                             "[1.0].exists(V, V > 0.0)", [],                   []],
    ["a: C.one",                                             "true || V.a > 0.0",       [],                    []],
    ["a: C.one",                                             "false && V.nope",         [],                    []],
    ["a: C.one",                                             "true ? C.two > 0.0 : V.a", [],                   ["two"]],
    ["a: C.one",                                             "has(V.a)",                ["a"],                 ["one"]],
  ])("{%s} when %s: %j and %j", (body, condition, keptVariables, keptConstants) => {
    const { set, problems } = linked({ "a.yaml": policy(body, condition) });
    expect(problems).toEqual([]);
    expect(set.resourcePolicies[0]?.variables.map(({ name }) => name)).toEqual(keptVariables);
    expect(set.resourcePolicies[0]?.constants.map(({ name }) => name)).toEqual(keptConstants);
  });

  test("imported in the order of the imports, then local, then top-level", () => {
    const files = {
      "a.yaml": resource(when("V.i && V.l && V.t", "  variables: {import: [vs], local: {l: V.i}}\n")).replace(
        "resourcePolicy",
        "variables: {t: V.l}\nresourcePolicy",
      ),
      "v.yaml": variables("vs", "i: V.free"),
      "b.yaml": resource(when("V.i", "  variables: {import: [vs], local: {free: 'true'}}\n"), "b"),
    };
    const { set, problems } = linked(files);
    expect(problems).toEqual(["v.yaml 4:20 undefined-variable"]);
    expect(set.resourcePolicies.map((policy) => policy.variables.map(({ name }) => name))).toEqual([
      ["i", "l", "t"],
      ["free", "i"],
    ]);
  });
});

describe("derived roles", () => {
  const owners = roles(
    "own-ers",
    "{name: owner, parentRoles: [user, '*'], condition: {match: {expr: V.mine}}}, {name: spare, parentRoles: [x]}",
  ).replace("derivedRoles", "variables: {mine: R.attr.owner == P.id, unused: '1'}\nderivedRoles");
  const policy = resource(
    "  importDerivedRoles: [own_ers]\n  rules:\n    - {actions: [x], derivedRoles: [owner], roles: [a, '*'], effect: EFFECT_DENY}\n",
  );

  test("bring their own variables, and are kept when a rule names them", () => {
    const { set, problems } = linked({ "a.yaml": policy, "o.yaml": owners });
    expect(problems).toEqual([]);
    expect(set.resourcePolicies[0]?.derivedRoles).toMatchObject([
      { name: "owner", origin: "derived_roles.own_ers", parentRoles: ["*"], variables: [{ name: "mine" }] },
    ]);
    expect(set.resourcePolicies[0]?.variables).toEqual([]);
    expect(set.resourcePolicies[0]?.rules).toMatchObject([{ name: "rule-001", roles: ["*"], derivedRoles: ["owner"], effect: "deny" }]);
  });

  test("do not see the importing policy's variables", () => {
    const { problems } = linked({
      "a.yaml": policy.replace("  rules:", "  variables: {local: {mine: 'true'}}\n  rules:"),
      "o.yaml": owners.replace(/variables.*\n/, ""),
    });
    expect(problems).toEqual(["o.yaml 4:77 undefined-variable"]);
  });
});

test("names are sanitised, keys built, policies in the order of their paths", () => {
  const { set, problems } = linked({
    "b.yaml": resource("", "leave-request:draft"),
    "a.yaml": resource("", "a b"),
    "c.yaml": resource("", "doc:9x"),
  });
  expect(problems).toEqual([]);
  expect(set.resourcePolicies.map(({ key, name, writtenName, version, scope }) => [key, name, writtenName, version, scope])).toEqual([
    ["resource.a b.vdefault", "a b", "a b", "default", ""],
    ["resource.leave_request_draft.vdefault", "leave_request_draft", "leave-request:draft", "default", ""],
    ["resource.doc:9x.vdefault", "doc:9x", "doc:9x", "default", ""],
  ]);
});

describe("a mistake between documents is reported once, at the reference's place", () => {
  const importing = (what: string, condition = "true", name = "a"): string => resource(when(condition, what), name);
  // oxfmt-ignore
  test.each<readonly [string, Files, readonly string[]]>([
    ["same policy twice", { "b.yaml": resource("", "x-y"), "a.yaml": resource("", "x_y") }, ["b.yaml 1:11 duplicate-policy"]],
    ["same set twice", { "a.yaml": constants("c", ""), "b.yaml": constants("c", "") }, ["b.yaml 1:11 duplicate-policy"]],
    ["sets of different kinds may share a name", { "a.yaml": constants("c", ""), "b.yaml": variables("c", "") }, []],
    ["unknown imports", { "a.yaml": resource("  importDerivedRoles: [d]\n  variables: {import: [limitz]}\n  constants: {import: [c]}\n"), "v.yaml": variables("limits", "") },
      ["a.yaml 5:24 unknown-import", "a.yaml 6:24 unknown-import (limits?)", "a.yaml 7:24 unknown-import"]],
    ["unknown derived role", { "a.yaml": resource("  importDerivedRoles: [d]\n  rules:\n    - {actions: [x], derivedRoles: [ownr], effect: EFFECT_DENY}\n    - {actions: [y], derivedRoles: [ownr], effect: EFFECT_DENY}\n"), "d.yaml": roles("d", "{name: owner, parentRoles: [x]}") },
      ["a.yaml 8:37 unknown-derived-role (owner?)"]],
    ["ambiguous derived role", { "a.yaml": resource("  importDerivedRoles: [d, e]\n  rules:\n    - {actions: [x], derivedRoles: [o], effect: EFFECT_DENY}\n    - {actions: [y], derivedRoles: [o], effect: EFFECT_DENY}\n"), "d.yaml": roles("d", "{name: o, parentRoles: [x]}"), "e.yaml": roles("e", "{name: o, parentRoles: [x]}") },
      ["a.yaml - ambiguous-derived-role"]],
    ["sets imported twice", { "a.yaml": resource("  importDerivedRoles: [d, d, d]\n  variables: {import: [v, v]}\n  constants: {import: [c, c]}\n  rules:\n    - {actions: [x], derivedRoles: [o], effect: EFFECT_DENY}\n"), "c.yaml": constants("c", "x: 1"), "d.yaml": roles("d", "{name: o, parentRoles: [x]}"), "v.yaml": variables("v", "y: '1'") },
      ["a.yaml 5:3 duplicate-item", "a.yaml 6:15 duplicate-item", "a.yaml 7:15 duplicate-item"]],
    ["constant redefined", { "a.yaml": importing("  constants: {import: [c], local: {x: 1}}\n"), "c.yaml": constants("c", "x: 2") }, ["a.yaml - redefined-constant"]],
    ["variable redefined", { "a.yaml": importing("  variables: {import: [c, d]}\n"), "c.yaml": variables("c", "x: '1'"), "d.yaml": variables("d", "x: '1'") }, ["a.yaml - redefined-variable"]],
    ["bad names in an import of two", { "a.yaml": importing("  variables: {import: [v]}\n"), "b.yaml": importing("  variables: {import: [v]}\n", "true", "b"), "v.yaml": variables("v", "1a: '1', \"null\": '1', a.b: '1', __proto__: '1'") },
      ["v.yaml 4:17 invalid-variable-name", "v.yaml 4:26 invalid-variable-name", "v.yaml 4:39 invalid-variable-name"]],
    ["undefined names", { "a.yaml": importing("  constants: {local: {limit: 1}}\n", "C.limt > V.x") }, ["a.yaml 10:27 undefined-constant (limit?)", "a.yaml 10:27 undefined-variable"]],
    ["undefined names beside other mistakes of the same expression", { "a.yaml": importing("  constants: {local: {limit: 1}}\n  variables: {local: {small: V.no + wat}}\n", "V.smal && C.limt > 1 && P.nam == 1") },
      ["a.yaml 11:27 invalid-expression", "a.yaml 11:27 undefined-constant (limit?)", "a.yaml 11:27 undefined-variable (small?)", "a.yaml 6:30 invalid-expression", "a.yaml 6:30 undefined-variable"]],
    ["names whose definition cannot be read, beside one that has none", { "a.yaml": importing("  constants: {import: [c], local: {limit: .inf}}\n  variables: {import: [v], local: {small: 1.5, t: V.small}}\n", "V.small && V.shared && C.limit > 1 && C.most > 1 && C.nope > 1"), "c.yaml": constants("c", "most: .nan"), "v.yaml": variables("v", "shared: [a]") },
      ["a.yaml 11:27 undefined-constant", "a.yaml 5:43 wrong-type", "a.yaml 6:43 wrong-type", "c.yaml 4:23 wrong-type", "v.yaml 4:25 wrong-type"]],
    ["undefined built-in names", { "a.yaml": importing("", "V.constructor == C.__proto__") }, ["a.yaml 9:27 undefined-constant", "a.yaml 9:27 undefined-variable"]],
    ["a circle", { "a.yaml": importing("  variables: {local: {c: V.a, a: V.b, b: V.c, d: V.a, e: V.e}}\n") }, ["a.yaml 5:34 variable-cycle", "a.yaml 5:58 variable-cycle"]],
    ["types", { "a.yaml": importing("  variables: {local: {v: 1 == \"1\"}}\n", "V.v && resource.x") }, ["a.yaml 10:27 invalid-expression", "a.yaml 5:26 invalid-expression"]],
    ["types of what nobody imports (D38)", { "v.yaml": variables("v", "a: wat, b: V.nope + C.nope"), "d.yaml": roles("d", "{name: o, parentRoles: [x], condition: {match: {expr: 1 + \"1\"}}}, {name: p, parentRoles: [x], condition: {match: {expr: V.nope}}}") },
      ["d.yaml 4:65 invalid-expression", "v.yaml 4:20 invalid-expression"]],
    ["imports of what nobody imports", { "d.yaml": roles("d", "{name: o, parentRoles: [x]}").replace("  name: d", "  name: d\n  constants: {import: [c]}") }, ["d.yaml 4:24 unknown-import"]],
    ["what an imported set says wrong, though no rule names it", { "a.yaml": resource("  importDerivedRoles: [d]\n"), "d.yaml": roles("d", "{name: o, parentRoles: [x], condition: {match: {expr: V.nope}}}") }, ["d.yaml 4:65 undefined-variable"]],
  ])("%s", (_, files, wanted) => {
    expect(linked(files).problems).toEqual(wanted);
  });
});

test("a condition that is not a boolean is allowed: it is never satisfied", () => {
  expect(linked({ "a.yaml": resource(when("1 + 1")) }).problems).toEqual([]);
});

test("the order in which files come changes nothing (D42)", () => {
  const files = Object.entries({
    "a.yaml": resource(when("V.x && V.nope", "  variables: {import: [v, w]}\n")),
    "b.yaml": resource(when("V.x", "  importDerivedRoles: [d]\n  variables: {import: [v]}\n"), "b"),
    "c.yaml": resource("", "b"),
    "d.yaml": roles("d", "{name: o, parentRoles: [x], condition: {match: {expr: V.q}}}"),
    "v.yaml": variables("v", "x: V.y, y: C.z"),
    "w.yaml": variables("w", "x: '1'"),
  });
  const first = linked(Object.fromEntries(files));
  fc.assert(
    fc.property(fc.shuffledSubarray(files, { minLength: files.length }), (shuffled) => {
      const again = linked(Object.fromEntries(shuffled));
      expect(again.printed).toBe(first.printed);
      expect(again.set.resourcePolicies.map(({ key, variables: uses }) => [key, uses.map(({ name }) => name)])).toEqual(
        first.set.resourcePolicies.map(({ key, variables: uses }) => [key, uses.map(({ name }) => name)]),
      );
    }),
  );
});

test("thousands of variables in one chain, or one circle, are no trouble", () => {
  const chain = (last: string): string =>
    Array.from({ length: 5000 }, (_, index) => `v${index}: V.v${index + 1}`)
      .concat(`v5000: ${last}`)
      .join(", ");
  const straight = linked({ "a.yaml": resource(when("V.v0", `  variables: {local: {${chain("'true'")}}}\n`)) });
  expect(straight.problems).toEqual([]);
  expect(straight.set.resourcePolicies[0]?.variables.at(-1)?.name).toBe("v0");
  expect(linked({ "a.yaml": resource(when("V.v0", `  variables: {local: {${chain("V.v0")}}}\n`)) }).problems).toHaveLength(1);
});

test("no text, however broken, makes the compiler throw, and every diagnostic can be printed", () => {
  const whole = resource(
    when(
      "V.x && C.y > 1.0 && R.attr.z in [1, 2]",
      "  importDerivedRoles: [d]\n  variables: {import: &a [v], local: {'x': &b \"R.attr.q\"}}\n",
    ),
  );
  const edit = fc.tuple(
    fc.nat({ max: whole.length }),
    fc.nat({ max: 12 }),
    fc.oneof(
      fc.constantFrom(
        "",
        " ",
        "\n",
        "\t",
        ": ",
        "- ",
        "{",
        "}",
        "[",
        "]",
        '"',
        "'",
        "&a ",
        "*a",
        "*b",
        "<<: ",
        "|\n",
        ">",
        "#",
        "!!x ",
        "---\n",
        "\0",
        "\uFEFF",
        "\u2028",
        "~",
        "1.5",
        "? ",
      ),
      fc.string({ unit: "binary", maxLength: 5 }),
    ),
  );
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), (edits) => {
      const text = edits.reduce((before, [at, length, insert]) => before.slice(0, at) + insert + before.slice(at + length), whole);
      expect(linked({ "a.yaml": text, "v.yaml": variables("v", "y: '1'") }).printed).toEqual(expect.any(String));
    }),
    { numRuns: 200 },
  );
});
