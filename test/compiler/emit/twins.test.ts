/** Scopes of a policy that say the same share their functions, and nothing that differs is taken for the same. */
import { expect, it } from "vitest";
import { emit } from "../../../compiler/emit/unit.ts";
import { compile } from "../../../compiler/index.ts";
import { digest } from "../../runtime/decide/policies.ts";

const rule = (condition: string, action = "view", role = "user", effect = "EFFECT_ALLOW"): string =>
  `{ actions: [${action}], roles: [${role}], effect: ${effect}${condition === "" ? "" : `, condition: { match: { expr: '${condition}' } }`} }`;

/** The text of a unit with these rules at the root, in `acme` and in `acme.hr`. */
function textOf(root: string, acme: string, hr: string, ...variables: readonly string[]): string {
  const sources = [
    ["", root],
    ["acme", acme],
    ["acme.hr", hr],
  ].map(([scope, rules], at) => ({
    path: `p${at}.yaml`,
    text: `apiVersion: api.authz.dev/v1\nresourcePolicy: { resource: doc, version: default, scope: "${scope}", variables: { local: { ${variables[at] ?? ""} } }, rules: [${rules}] }\n`,
  }));
  const { compiled, diagnostics } = compile(sources, { digest });
  const [unit] = compiled?.table.units ?? [];
  if (unit === undefined) throw new Error(diagnostics.map(({ message }) => message).join("; "));
  return emit(unit, { digest }).text;
}

const count = (text: string, words: string): number => text.split(words).length - 1;

it.each([
  ["the same rule without condition", rule(""), rule(""), rule(""), 1, 0],
  [
    "a rule for other roles, which are no part of the program",
    rule("", "view", "user"),
    rule("", "view", "admin"),
    rule("", "view", "clerk"),
    1,
    0,
  ],
  ["two that are alike and one about another action", rule(""), rule("", "edit"), rule(""), 2, 0],
  ["another effect", rule(""), rule("", "view", "user", "EFFECT_DENY"), rule(""), 2, 0],
  ["one more rule", rule(""), `${rule("")}, ${rule("", "edit")}`, rule(""), 2, 0],
  ["the same condition, asked for each scope", rule("R.attr.a == 1.0"), rule("R.attr.a == 1.0"), rule("R.attr.a == 1.0"), 1, 1],
  ["a condition about another attribute", rule("R.attr.a == 1.0"), rule("R.attr.b == 1.0"), rule("R.attr.a == 1.0"), 2, 2],
  ["a condition with another constant", rule("R.attr.a == 1.0"), rule("R.attr.a == 2.0"), rule("R.attr.a == 1.0"), 2, 2],
  [
    "two conditions in another order",
    `${rule("R.attr.a == 1.0")}, ${rule("R.attr.b == 1.0", "edit")}`,
    `${rule("R.attr.b == 1.0", "edit")}, ${rule("R.attr.a == 1.0")}`,
    `${rule("R.attr.a == 1.0")}, ${rule("R.attr.b == 1.0", "edit")}`,
    2,
    2,
  ],
  ["a constant of another type", rule('R.attr.a == "1"'), rule("R.attr.a == 1.0"), rule('R.attr.a == b"1"'), 3, 3],
  ["a text that looks like a name", rule('R.attr.a == "own0"'), rule('R.attr.a == "outer0"'), rule('R.attr.a == "k0"'), 3, 3],
  [
    "the same list, which stands at the head",
    rule('R.attr.a in ["x", "y"]'),
    rule('R.attr.a in ["x", "y"]'),
    rule('R.attr.a in ["x", "y"]', "edit"),
    2,
    2,
  ],
  ["another subject", rule("R.attr.a == 1.0"), rule("P.attr.a == 1.0"), rule("R.attr.a == 1.0"), 2, 2],
  [
    "variables of loops by other names",
    rule("R.attr.a.exists(x, x == P.id)"),
    rule("R.attr.a.exists(y, y == P.id)"),
    rule("R.attr.a.all(x, x == P.id)"),
    2,
    2,
  ],
] as const)("%s: %#", (_words, root, acme, hr, ofRows, ofConditions) => {
  const text = textOf(root, acme, hr);
  expect([count(text, " = (q, action, roles, first) => {"), count(text, " = (q) => ")]).toEqual([ofRows, ofConditions]);
  expect(count(text, "decide: ")).toBe(3);
});

const twice = (name: string): string => rule(`V.${name} > 1.0 && V.${name} < 9.0`);

it.each([
  ["the same variable, read twice in each scope", "a: R.attr.a + 1.0", "a: R.attr.a + 1.0", twice("a"), 1, 2, 1],
  ["the same variable by another name", "a: R.attr.a + 1.0", "b: R.attr.a + 1.0", twice("b"), 1, 2, 1],
  ["variables that say different things", "a: R.attr.a + 1.0", "a: R.attr.a + 2.0", twice("a"), 2, 4, 2],
  [
    "one that is made of derived roles, which differ from scope to scope",
    "a: double(size(runtime.effectiveDerivedRoles))",
    "a: double(size(runtime.effectiveDerivedRoles))",
    twice("a"),
    2,
    4,
    2,
  ],
] as const)("variables of two scopes: %s", (_words, root, acme, rules, ofRows, ofFunctions, ofVariables) => {
  const first = rules === twice("b") ? twice("a") : rules;
  const text = textOf(first, rules, "", root, acme);
  expect([count(text, " = (q, action, roles, first) => {") - 1, count(text, " = (q) => ")]).toEqual([ofRows, ofFunctions]);
  expect(new Set([...text.matchAll(/q\.variable\((\d+, n\d+)\)/g)].map(([, variable]) => variable)).size).toBe(ofVariables);
});
