/** Units that say the same are emitted once, whatever they are called; what a program depends on tells units apart. */
import { expect, it } from "vitest";
import { openContentSerialiser } from "../../../compiler/emit/content.ts";
import { emit, openEmitter } from "../../../compiler/emit/unit.ts";
import { compile } from "../../../compiler/index.ts";
import type { UnitTable } from "../../../compiler/table/table.ts";
import { digest } from "../../runtime/decide/policies.ts";

function unitsOf(...texts: readonly string[]): readonly UnitTable[] {
  const sources = texts.map((text, at) => ({ path: `p${at}.yaml`, text: `apiVersion: api.authz.dev/v1\n${text}` }));
  const { compiled, diagnostics } = compile(sources, { digest });
  if (compiled === undefined) throw new Error(diagnostics.map(({ message }) => message).join("; "));
  return compiled.table.units;
}

const roles = (name = "roles"): string => `derivedRoles:
  name: ${name}
  variables: { local: { mine: R.attr.owner == P.id } }
  definitions: [{ name: owner, parentRoles: [employee], condition: { match: { expr: V.mine } } }]
`;
const policy = (kind: string, set = "roles"): string => `resourcePolicy:
  resource: ${kind}
  version: default
  importDerivedRoles: [${set}]
  constants: { local: { limit: 1000 } }
  variables: { local: { zero: R.attr.n == 0.0 } }
  rules:
    - { actions: [view], roles: [user], derivedRoles: [owner], effect: EFFECT_ALLOW, condition: { match: { expr: V.zero } } }
    - { actions: [edit, "e*"], roles: ["*"], effect: EFFECT_DENY, condition: { match: { expr: R.attr.n > C.limit } } }
`;

/** A policy of a scope that requires consent: an allow in it denies unless its condition holds, a deny while it does. */
const narrowed = (kind: string, effect: string): readonly string[] => [
  `resourcePolicy:
  resource: ${kind}
  version: default
  rules: [{ actions: [view], roles: [user], effect: EFFECT_ALLOW }]
`,
  `resourcePolicy:
  resource: ${kind}
  version: default
  scope: acme
  scopePermissions: SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS
  rules: [{ actions: [view], roles: [user], effect: ${effect}, condition: { match: { expr: R.attr.open } } }]
`,
];

it("units that differ by name and place alone are made of the same", () => {
  const units = unitsOf(policy("first"), `# somewhere else\n\n${policy("second")}`, roles());
  const [first, second] = units;
  if (first === undefined || second === undefined) throw new Error("two units");
  const contentOf = openContentSerialiser().ofUnit;
  expect(contentOf(second)).toBe(contentOf(first));
  const together = units.map(openEmitter({ digest }));
  for (const [at, unit] of units.entries()) {
    const alone = emit(unit, { digest });
    expect(together[at]?.unit).toEqual(alone.unit);
    expect(together[at]?.text).toBe(alone.text);
    expect(together[at]?.readable()).toBe(alone.readable());
  }
  expect(together[0]?.unit.digest).not.toBe(together[1]?.unit.digest);
});

// oxfmt-ignore
it.each<[what: string, from: string, to: string]>([
  ["the sign of a zero",                  "0.0", "-0.0"],
  ["a constant",                          "limit: 1000", "limit: 1001"],
  ["an action",                           "[view]", "[views]"],
  ["a pattern of actions",                '"e*"', '"ed*"'],
  ["a role",                              "[user]", "[users]"],
  ["a derived role's condition",          "R.attr.owner", "R.attr.owners"],
  ["a derived role's parent",             "[employee]", "[employees]"],
  ["an effect",                           "EFFECT_DENY", "EFFECT_ALLOW"],
  ["a rule without a condition",          ", condition: { match: { expr: V.zero } }", ""],
  ["a rule without its derived role",     ", derivedRoles: [owner]", ""],
  ["an output",                           '["*"],', '["*"], output: { expr: "1" },'],
])("%s tells them apart", (_, from, to) => {
  const [before, same, after] = unitsOf(
    policy("before"),
    policy("before_too", "same"),
    policy("changed", "other").replace(from, to),
    roles(),
    roles("same"),
    roles("other").replace(from, to),
  );
  if (before === undefined || same === undefined || after === undefined) throw new Error("three units");
  const { ofUnit, ofPolicy } = openContentSerialiser();
  expect(ofUnit(same)).toBe(ofUnit(before));
  expect(ofUnit(after)).not.toBe(ofUnit(before));
  const contentsOf = ({ scopes }: UnitTable): readonly string[] => scopes.map(ofPolicy);
  expect(contentsOf(same)).toEqual(contentsOf(before));
  expect(contentsOf(after)).not.toEqual(contentsOf(before));
});

it("one condition of two rules is not two equal ones", () => {
  const [unit] = unitsOf(policy("doc").replace("R.attr.n > C.limit", "V.zero"), roles());
  if (unit === undefined) throw new Error("one unit");
  const apart: UnitTable = {
    ...unit,
    scopes: unit.scopes.map((scope) => ({
      ...scope,
      rows: scope.rows.map((row) => (row.condition ? { ...row, condition: { ...row.condition } } : row)),
    })),
  };
  const contentOf = openContentSerialiser().ofUnit;
  expect(contentOf(apart)).not.toBe(contentOf(unit));
});

it("an allow that needs consent is not the deny with its condition", () => {
  const units = unitsOf(...narrowed("first", "EFFECT_ALLOW"), ...narrowed("second", "EFFECT_DENY"));
  const together = units.map(openEmitter({ digest }));
  expect(together.map(({ unit }) => unit)).toEqual(units.map((unit) => emit(unit, { digest }).unit));
  expect(together[0]?.text).not.toBe(together[1]?.text);
});

it("an expression that is compiled twice is still the same words", () => {
  const [unit] = unitsOf(policy("doc"), roles());
  if (unit === undefined) throw new Error("one unit");
  const [once, again] = [unit, structuredClone(unit)].map(openEmitter({ digest }));
  expect(again?.unit).toEqual(once?.unit);
});
