/** What the rows of a policy answer and tell, given which of its patterns match: generated code, in both prints. */
import { expect, it, describe } from "vitest";
import { compile } from "../../../compiler/index.ts";
import { type JsonObject, Timestamp, type Value } from "../../../runtime/cel/value.ts";
import { readConstant } from "../../../runtime/constant.ts";
import { unmeasured } from "../../../runtime/decide/prices.ts";
import { openQuery } from "../../../runtime/decide/open-query.ts";
import type { Matched, Unit } from "../../../runtime/decide/unit.ts";
import { emitted } from "../../../runtime/emitted/index.ts";
import { evaluateInThisRealm } from "../../../runtime/load.ts";
import { digest } from "../../runtime/decide/policies.ts";

const head = "apiVersion: api.authz.dev/v1\n";
const effects = new Map([
  [emitted.NONE, "none"],
  [emitted.ALLOW, "allow"],
  [emitted.DENY, "deny"],
]);

/** A policy among others, ready to be asked: the patterns that match, the action, the resource's attributes. */
function policy(id: string, ...texts: readonly string[]) {
  const sources = texts.map((text, at) => ({ path: `p${at}.yaml`, text: head + text }));
  const { compiled, diagnostics } = compile(sources, { digest });
  if (compiled === undefined) throw new Error(diagnostics.map(({ message }) => message).join("; "));
  const module = compiled.modules.find(({ unit }) => unit.id === id);
  if (module === undefined) throw new Error(`units: ${compiled.modules.map(({ unit }) => unit.id).join(", ")}`);
  const constants = module.unit.constants.map(readConstant);
  const units = [module.text, module.readable()].map((text) => (evaluateInThisRealm(text) as Factory)(emitted, constants));

  return (matching: readonly string[], action: string, attr: JsonObject = {}, scope = ""): readonly string[] => {
    const { patterns = [] } = module.unit.scopes.find((each) => each.scope === scope) ?? {};
    const strangers = matching.filter((pattern) => !patterns.includes(pattern));
    if (strangers.length > 0) throw new Error(`${strangers.join()} is none of ${patterns.join()}`);
    const answers = units.map((unit) => {
      const told: string[] = [];
      const part = new Map(unit.scopes).get(scope);
      const query = openQuery(
        { principal: { id: "ann", roles: ["user"] }, resource: { kind: "doc", id: "d", attr }, actions: [action] },
        {},
        { now: new Timestamp(0, 0) },
        {
          onOutput: (asked, index, src, of, compute, times) => told.push(`${times} x ${src} ${of}: ${say(asked.outputOf(index, compute))}`),
          holdsStrictly: undefined,
          prices: unmeasured,
          heldRoles: undefined,
        },
      );
      const effect = part?.decide(query, action, bitsOf(patterns, matching), part.first);
      return [effect === undefined ? "no such scope" : (effects.get(effect) ?? "no effect"), ...told];
    });
    const [first = [], second] = answers;
    expect(second).toEqual(first);
    return first;
  };
}

type Factory = (rt: object, k: readonly Value[]) => Unit;

/** The outputs here are texts. */
const say = (value: Value | undefined): string => (typeof value === "string" ? value : "no text");

/** As `runtime/decide/unit.ts` says. */
function bitsOf(patterns: readonly string[], matching: readonly string[]): Matched {
  const words = Array.from({ length: Math.ceil(patterns.length / 31) }, () => 0);
  for (const [at, pattern] of patterns.entries()) if (matching.includes(pattern)) words[Math.floor(at / 31)]! |= 1 << (at % 31);
  return patterns.length <= 31 ? (words[0] ?? 0) : words;
}

const resource = (rules: string, more = ""): string => `resourcePolicy:\n  resource: doc\n  version: default\n${more}  rules:\n${rules}`;
const tells = "output: { when: { ruleActivated: '\"yes\"', conditionNotMet: '\"no\"' } }";
const when = (expr: string): string => `condition: { match: { expr: ${expr} } }`;

describe("rows of a resource policy", () => {
  const ask = policy(
    "resource doc@default",
    resource(
      `    - { name: own, actions: [view, "view:*"], roles: [a, b, "c_*"], effect: EFFECT_ALLOW, ${when("R.attr.x")}, ${tells} }
    - { name: stop, actions: [view], roles: ["*"], effect: EFFECT_DENY, ${when("R.attr.y")}, ${tells} }
    - { name: both, actions: [edit, "*", "e*"], roles: [a], derivedRoles: [d], effect: EFFECT_ALLOW, output: { expr: '"both"' } }
    - { name: never, actions: [burn], roles: [a, b], effect: EFFECT_DENY, output: { expr: '"never"' } }
    - { name: after, actions: [burn], roles: [a], effect: EFFECT_ALLOW, output: { expr: '"after"' } }
`,
      "  importDerivedRoles: [roles]\n",
    ),
    `derivedRoles:\n  name: roles\n  definitions:\n    - { name: d, parentRoles: [b, e], ${when("R.attr.z")} }\n`,
  );
  // oxfmt-ignore
  it.each<[sentence: string, matching: readonly string[], action: string, attr: JsonObject, answer: readonly string[]]>([
    ["nobody asks, nothing is said",                ["*"],                  "view",   {},                  ["none", "1 x resource.doc.vdefault#stop view: no"]],
    ["a rule that holds is told once a role",       ["a", "c_*", "*"],      "view",   { x: true },         ["allow", "2 x resource.doc.vdefault#own view: yes", "1 x resource.doc.vdefault#stop view: no", "1 x resource.doc.vdefault#both view: both"]],
    ["one that does not hold is told as often",     ["b", "c_*", "*"],      "view",   { x: 1 },            ["none", "2 x resource.doc.vdefault#own view: no", "1 x resource.doc.vdefault#stop view: no"]],
    ["a denial ends what is told",                  ["a", "*"],             "view",   { x: true, y: true}, ["deny", "1 x resource.doc.vdefault#own view: yes", "1 x resource.doc.vdefault#stop view: yes"]],
    ["another entry of the actions finds the rule", ["a", "*"],             "view:1", { x: true },         ["allow", "1 x resource.doc.vdefault#own view:1: yes", "1 x resource.doc.vdefault#both view:1: both"]],
    ["every entry that matches is a row",           ["a"],                  "edit",   {},                  ["allow", ...repeat(3, "1 x resource.doc.vdefault#both edit: both")]],
    ["so it is by patterns alone",                  ["a"],                  "eat",    {},                  ["allow", ...repeat(2, "1 x resource.doc.vdefault#both eat: both")]],
    ["a derived role tells once a parent",          ["b", "e"],             "x",      { z: true },         ["allow", "2 x resource.doc.vdefault#both x: both"]],
    ["roles first, then derived roles, each entry", ["a", "b"],             "eat",    { z: true },         ["allow", ...repeat(4, "1 x resource.doc.vdefault#both eat: both")]],
    ["an inactive derived role tells nothing",      ["b", "e"],             "x",      {},                  ["none"]],
    ["what denies without a condition is told once", ["a", "b"],            "burn",   { z: true },         ["deny", ...repeat(2, "1 x resource.doc.vdefault#both burn: both"), "1 x resource.doc.vdefault#never burn: never"]],
  ])("%s", (_, matching, action, attr, answer) => {
    expect(ask(matching, action, attr)).toEqual(answer);
  });
});

function repeat(times: number, told: string): readonly string[] {
  return Array.from({ length: times }, () => told);
}

describe("rows of a scope that needs consent", () => {
  const needs = "  scopePermissions: SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS\n";
  const ask = policy(
    "resource doc@default",
    resource(
      `    - { name: maybe, actions: [view], roles: [a], effect: EFFECT_ALLOW, ${when("R.attr.x")}, ${tells} }
    - { name: surely, actions: [edit], roles: [a], derivedRoles: [d], effect: EFFECT_ALLOW, ${tells} }
    - { name: no, actions: [view], roles: [a], effect: EFFECT_DENY, ${when("R.attr.y")} }
`,
      `  importDerivedRoles: [roles]\n${needs}`,
    ),
    `derivedRoles:\n  name: roles\n  definitions:\n    - { name: d, parentRoles: [b], ${when("R.attr.z")} }\n`,
  );
  // oxfmt-ignore
  it.each<[sentence: string, matching: readonly string[], action: string, attr: JsonObject, answer: readonly string[]]>([
    ["a condition that holds leaves it to the parents", ["a"], "view", { x: true },          ["none", "1 x resource.doc.vdefault#maybe view: no"]],
    ["one that does not hold denies",                   ["a"], "view", {},                   ["deny", "1 x resource.doc.vdefault#maybe view: yes"]],
    ["a denial denies",                                 ["a"], "view", { x: true, y: true }, ["deny", "1 x resource.doc.vdefault#maybe view: no"]],
    ["an allow without condition only tells",           ["a"], "edit", {},                   ["none", "1 x resource.doc.vdefault#surely edit: yes"]],
    ["so it does through a derived role",               ["b"], "edit", { z: true },          ["none", "1 x resource.doc.vdefault#surely edit: yes"]],
    ["while that is active",                            ["b"], "edit", {},                   ["none"]],
  ])("%s", (_, matching, action, attr, answer) => {
    expect(ask(matching, action, attr)).toEqual(answer);
  });
});

describe("rows of a principal policy", () => {
  const ask = policy(
    "principal ann@default",
    `principalPolicy:
  principal: ann
  version: default
  rules:
    - resource: doc
      actions:
        - { action: view, effect: EFFECT_ALLOW, output: { expr: '"seen"' } }
        - { action: "view*", effect: EFFECT_DENY, ${when("R.attr.x")}, ${tells} }
    - resource: "d*"
      actions: [{ action: "*", effect: EFFECT_ALLOW, name: any, output: { expr: '"any"' } }]
`,
  );
  // oxfmt-ignore
  it.each<[sentence: string, matching: readonly string[], action: string, attr: JsonObject, answer: readonly string[]]>([
    ["a kind that nothing is said of",      [],            "view",  {},          ["none"]],
    ["every kind's rules, in order",        ["doc", "d*"], "view",  {},          ["allow", "1 x principal.ann.vdefault#doc_rule-001 view: seen", "1 x principal.ann.vdefault#doc_rule-002 view: no", "1 x principal.ann.vdefault#any view: any"]],
    ["a denial after an allow denies",      ["doc", "d*"], "view",  { x: true }, ["deny", "1 x principal.ann.vdefault#doc_rule-001 view: seen", "1 x principal.ann.vdefault#doc_rule-002 view: yes"]],
    ["actions by pattern",                  ["doc"],       "views", { x: true }, ["deny", "1 x principal.ann.vdefault#doc_rule-002 views: yes"]],
    ["a pattern of kinds alone",            ["d*"],        "print", {},          ["allow", "1 x principal.ann.vdefault#any print: any"]],
  ])("%s", (_, matching, action, attr, answer) => {
    expect(ask(matching, action, attr)).toEqual(answer);
  });
});

describe("rows of a role policy", () => {
  const ask = policy(
    "role clerk@default",
    `rolePolicy:
  role: clerk
  version: default
  rules:
    - { resource: doc, allowActions: [view, "{print,export}", "e?"] }
    - { resource: doc, allowActions: [view, "*"], name: small, ${when("R.attr.x")}, ${tells} }
    - { resource: "d*", allowActions: [view], ${when("R.attr.y")}, ${tells} }
    - { resource: "other", allowActions: ["*"], output: { expr: '"other"' } }
    - { resource: "list", allowActions: ["a?", "[b]", "{c"] }
`,
  );
  // oxfmt-ignore
  it.each<[sentence: string, matching: readonly string[], action: string, attr: JsonObject, answer: readonly string[]]>([
    ["a kind that is not listed is denied",      [],            "view",           {},                   ["deny"]],
    ["an action that is not listed is denied",   ["d*"],        "edit",           {},                   ["deny"]],
    ["every rule of kind and action must hold",  ["doc", "d*"], "view",           { x: true, y: true }, ["none", "1 x role.clerk.vdefault#small view: yes", "1 x role.clerk.vdefault# view: yes"]],
    ["the first that does not denies at once",   ["doc", "d*"], "view",           { y: true },          ["deny", "1 x role.clerk.vdefault#small view: no"]],
    ["so does the second",                       ["doc", "d*"], "view",           { x: true },          ["deny", "1 x role.clerk.vdefault#small view: yes", "1 x role.clerk.vdefault# view: no"]],
    ["an action of a list is a glob",            ["doc"],       "print",          { x: true },          ["none", "1 x role.clerk.vdefault#small print: yes"]],
    ["and a text",                               ["doc"],       "{print,export}", { x: true },          ["none", "1 x role.clerk.vdefault#small {print,export}: yes"]],
    ["a rule without condition is no excuse",    ["doc"],       "e1",             {},                   ["deny", "1 x role.clerk.vdefault#small e1: no"]],
    ["what may without condition tells",         ["other"],     "anything",       {},                   ["none", "1 x role.clerk.vdefault# anything: other"]],
    ["one character",                            ["list"],      "ab",             {},                   ["none"]],
    ["the same as a text",                       ["list"],      "a?",             {},                   ["none"]],
    ["a class",                                  ["list"],      "b",              {},                   ["none"]],
    ["its text",                                 ["list"],      "[b]",            {},                   ["none"]],
    ["an open group",                            ["list"],      "c",              {},                   ["none"]],
    ["no more than that",                        ["list"],      "d",              {},                   ["deny"]],
  ])("%s", (_, matching, action, attr, answer) => {
    expect(ask(matching, action, attr)).toEqual(answer);
  });
});

describe("more patterns than a word has bits", () => {
  const roles = Array.from({ length: 70 }, (_, at) => `r${at}`);
  const ask = policy(
    "resource doc@default",
    resource(
      `    - { name: all, actions: [view], roles: [${roles.join(", ")}], effect: EFFECT_ALLOW, output: { expr: '"seen"' } }
    - { name: two, actions: [edit, "e*"], roles: [r30, r31], effect: EFFECT_ALLOW, output: { expr: '"two"' } }
    - { name: last, actions: [view], roles: [r69], effect: EFFECT_DENY }
`,
    ),
  );
  // oxfmt-ignore
  it.each<[sentence: string, matching: readonly string[], action: string, answer: readonly string[]]>([
    ["the first",              ["r0"],                       "view", ["allow", "1 x resource.doc.vdefault#all view: seen"]],
    ["the last of a word",     ["r30"],                      "edit", ["allow", "2 x resource.doc.vdefault#two edit: two"]],
    ["one in each word",       ["r30", "r31", "r62"],        "view", ["allow", "3 x resource.doc.vdefault#all view: seen"]],
    ["entries times roles",    ["r30", "r31"],               "edit", ["allow", "4 x resource.doc.vdefault#two edit: two"]],
    ["all of them",            roles.slice(0, 69),           "view", ["allow", "69 x resource.doc.vdefault#all view: seen"]],
    ["the very last",          ["r69"],                      "view", ["deny", "1 x resource.doc.vdefault#all view: seen"]],
    ["none",                   [],                           "view", ["none"]],
  ])("%s", (_, matching, action, answer) => {
    expect(ask(matching, action)).toEqual(answer);
  });
});
