/** Outputs: which are told, how often, in which order, and what their values come to (semantics 4.7, D30, D31, D40). */
import { describe, expect, it } from "vitest";
import { maxWork, tooMuchWork, withWork } from "../../../runtime/cel/work.ts";
import { ask, evaluatorOf } from "./policies.ts";
import { derivedRoles, resource, role, rule } from "./policies-of-all-types.ts";

const output = (ruleActivated: string | undefined, conditionNotMet?: string) => ({
  output: { when: { ...(ruleActivated !== undefined && { ruleActivated }), ...(conditionNotMet !== undefined && { conditionNotMet }) } },
});
const told = (decision: ReturnType<typeof ask>): readonly string[] =>
  decision.outputs.map(
    ({ src, action, val, error }) => `${action} ${src.slice(src.indexOf("#"))} ${error === undefined ? JSON.stringify(val) : `! ${error}`}`,
  );

describe("which outputs are told", () => {
  const evaluator = evaluatorOf(
    derivedRoles("r", ["owner of user, guest if R.attr.mine", "other of user if R.attr.other"]),
    resource(
      "k",
      [
        rule("allow a to user if R.attr.yes", { name: "cond", ...output('"met"', '"not met"') }),
        rule("allow b, b* to user", { name: "twice", ...output("1") }),
        rule("allow c to user, derived owner", { name: "ways", ...output("2") }),
        rule("allow d to derived other", { name: "inactive", ...output("3", "4") }),
        rule("deny e to *", { name: "first", ...output("5") }),
        rule("deny e to *", { name: "second", ...output("6") }),
        rule("allow f to user", { ...output("7") }),
      ],
      { importDerivedRoles: ["r"] },
    ),
    role(
      "clerk",
      ["user"],
      [
        { resource: "k", allowActions: ["a"], name: "narrow", condition: { match: { expr: "R.attr.open" } }, ...output('"in"', '"out"') },
        { resource: "k", allowActions: ["f"], ...output('"plain"') },
      ],
    ),
  );
  const all = (roles: readonly string[], actions: readonly string[], R: object = {}) => told(ask(evaluator, roles, "k", actions, { R }));

  it.each<[sentence: string, found: readonly string[], expected: readonly string[]]>([
    ["one when a condition holds", all(["user"], ["a"], { yes: true }), ['a #cond "met"']],
    ["another when it does not", all(["user"], ["a"], { yes: false }), ['a #cond "not met"']],
    ["which an error is too", all(["user"], ["a"]), ['a #cond "not met"']],
    ["one for each action of the rule that matches", all(["user"], ["b"]), ["b #twice 1", "b #twice 1"]],
    ["one for each way to the rule", all(["user"], ["c"], { mine: true }), ["c #ways 2", "c #ways 2"]],
    ["none for a derived role that is inactive (D31)", all(["user"], ["c", "d", "d"], { mine: false }), ["c #ways 2"]],
    ["a DENY ends the rows", all(["user"], ["e"]), ["e #first 5"]],
    ["once for each role that is denied", all(["user", "guest", "x"], ["e"]), ["e #first 5", "e #first 5", "e #first 5"]],
    ["rules without names have one", all(["user"], ["f"]), ["f #rule-007 7"]],
    ["role policies first: what lets through", all(["clerk"], ["a"], { open: true, yes: true }), ['a #narrow "in"', 'a #cond "met"']],
    ["role policies first: what denies", all(["clerk"], ["a"], { open: false }), ['a #narrow "out"']],
    ["role policies: rules without names have none", all(["clerk"], ["f"]), ['f # "plain"', "f #rule-007 7"]],
    ["in the order of the actions", all(["user"], ["f", "a"], { yes: true }), ["f #rule-007 7", 'a #cond "met"']],
  ])("%s", (_, found, expected) => {
    expect(found).toEqual(expected);
  });

  it("equal roles between others keep their places", () => {
    const places = evaluatorOf(
      resource("k", [rule("deny e to one, two", { name: "n", ...output("1") }), rule("deny e to three", { name: "m", ...output("2") })]),
    );
    expect(told(ask(places, ["one", "three", "two"], "k", ["e"]))).toEqual(["e #n 1", "e #m 2", "e #n 1"]);
  });
});

it("where parents must consent, a condition that fails activates the rule", () => {
  const evaluator = evaluatorOf(
    resource("k", [rule("allow a to user if R.attr.yes", output('"activated"', '"not met"'))], {
      scopePermissions: "SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS",
    }),
  );
  const by = (yes: boolean) => told(ask(evaluator, ["user"], "k", ["a"], { R: { yes } }));
  expect([by(true), by(false)]).toEqual([['a #rule-001 "not met"'], ['a #rule-001 "activated"']]);
});

describe("what values come to", () => {
  const value = (expr: string): string => {
    const evaluator = evaluatorOf(
      resource("k", [rule("allow a to user", output(expr))], { variables: { local: { v: "1 + 1" } }, constants: { local: { c: "x" } } }),
    );
    const decision = ask(evaluator, ["user"], "k", ["a"], { R: { n: 1.5, none: null }, options: { globals: { g: 7n } } });
    return told(decision)[0]?.slice("a #rule-001 ".length) ?? "";
  };

  it.each<[expression: string, expected: string]>([
    ["null", "null"],
    ["1", "1"],
    ["9007199254740993", '"9007199254740993"'],
    ["1u", "1"],
    ["1.0 / 0.0", '"Infinity"'],
    ['b"hi"', '"aGk="'],
    ['duration("90m")', '"5400s"'],
    ['timestamp("2024-01-01T00:00:00+05:30")', '"2024-01-01T00:00:00+05:30"'],
    ['[1, "a", {"k": [true]}]', '[1,"a",{"k":[true]}]'],
    ["R.attr", '{"n":1.5,"none":null}'],
    ["R", '{"kind":"k","id":"r1","attr":{"n":1.5,"none":null}}'],
    ["P", '{"roles":["user"],"id":"ann"}'],
    ["request.principal.id", '"ann"'],
    ["request", '{"principal":{"roles":["user"],"id":"ann"},"resource":{"kind":"k","id":"r1","attr":{"n":1.5,"none":null}}}'],
    ["runtime", "{}"],
    ["[V, V.v]", '[{"v":2},2]'],
    ["[C, C.c]", '[{"c":"x"},"x"]'],
    ["G", '{"g":7}'],
    ["1 / 0", "! division by zero"],
    ["R.attr.missing", "! no such key: missing"],
    ["{1: 2}", "! invalid argument: a map with keys of type int has no JSON form"],
    ["type(1)", "! invalid argument: a value of type type has no JSON form"],
    ["optional.of(1)", "! invalid argument: a value of type optional_type has no JSON form"],
  ])("%s", (expression, expected) => {
    expect(value(expression)).toContain(expected);
  });
});

it("an answer that would be many times its question is refused", () => {
  const evaluator = evaluatorOf(resource("k", [rule("allow * to user", output("P.attr.text"))]));
  const actions = Array.from({ length: 50 }, (_, at) => `a${at}`);
  const asked = (length: number) =>
    withWork(maxWork, length, () => ask(evaluator, ["user"], "k", actions, { P: { text: "x".repeat(length) } }));
  expect(asked(1_000).outputs).toHaveLength(50);
  expect(() => asked(1_000_000)).toThrow(expect.toSatisfy((thrown) => thrown === tooMuchWork));
});
