/** Random stores: all six kinds of policies, over few enough names that they meet. */
import type { Random } from "../agree/random.ts";
import { match, type Names, output } from "./expressions.ts";
import { inheriting, permissionsByScope } from "./scopes.ts";
import type { Quirk } from "./quirks.ts";
import { makeSettings } from "./settings.ts";
import type { Definitions, DerivedRole, File, Json, Permissions, Policy, ResourceRule, Store, Told } from "./store.ts";
import { principalPolicies } from "./principal-policies.ts";
import { rolePolicies } from "./role-policies.ts";
import { actionPatterns, kinds, rolePatterns, scopes, versions } from "./vocabulary.ts";

/** What the makers of the parts of one store share. */
export interface Maker {
  readonly random: Random;
  readonly quirk: Quirk | undefined;
  readonly kinds: readonly string[];
  readonly scopes: readonly string[];
  readonly permissions: ReadonlyMap<string, Permissions>;
  readonly definitions: (prefix: string) => { readonly blocks: Definitions; readonly names: Names };
  readonly told: (names: Names, more?: { readonly conditioned?: number; readonly output?: number }) => Told;
}

/** Makes a store. */
export function makeStore(random: Random, quirk: Quirk | undefined): Store {
  const ownKinds = random.some(2, 3, kinds);
  const ownScopes = inheriting(random.some(0, 3, scopes));
  const exportedVariables = random.some(1, 2, ["shared_a", "shared_b"]);
  const exportedConstants = random.some(1, 2, ["shared_limit", "shared_list"]);
  const exports = random.chance(0.6);
  const sets = exports ? derivedSets.filter(() => random.chance(0.8)) : [];
  const permissions = permissionsByScope(random, ["", ...ownScopes], exports, quirk === "mixed permissions");

  const maker: Maker = {
    random,
    quirk,
    kinds: ownKinds,
    scopes: ownScopes,
    permissions,
    definitions(prefix) {
      const importsVariables = exports && random.chance(0.4);
      const importsConstants = exports && random.chance(0.4);
      const localConstants = random.chance(0.5) ? random.some(1, 2, [`${prefix}_limit`, `${prefix}_list`]) : [];
      const constants = [...localConstants, ...(importsConstants ? exportedConstants : [])];
      const imported = importsVariables ? exportedVariables : [];
      const names = (variables: readonly string[]): Names => ({ variables, constants, runtime: false, quirk });
      const local: { [name: string]: string } = {};
      if (random.chance(0.6))
        for (const name of random.some(1, 3, ["z", "b", "a", "toString"]))
          local[name] = variableText(random, names([...imported, ...Object.keys(local)]));
      return {
        names: names([...imported, ...Object.keys(local)]),
        blocks: {
          ...((importsVariables || Object.keys(local).length > 0) && {
            variables: { ...(importsVariables && { import: ["shared_variables"] }), ...(Object.keys(local).length > 0 && { local }) },
          }),
          ...(constants.length > 0 && {
            constants: {
              ...(importsConstants && { import: ["shared_constants"] }),
              local: Object.fromEntries(localConstants.map((name) => [name, constant(random, name)])),
            },
          }),
        },
      };
    },
    told: (names, { conditioned = 0.6, output: told = 0.3 } = {}) => ({
      ...(random.chance(conditioned) && { condition: { match: match(random, names) } }),
      ...(random.chance(told) && { output: output(random, names) }),
    }),
  };

  const policies: Policy[] = [
    ...(exports
      ? [
          {
            exportVariables: {
              name: "shared_variables",
              definitions: Object.fromEntries(
                exportedVariables.map((name) => [name, variableText(random, { variables: [], constants: [], runtime: false, quirk })]),
              ),
            },
          },
          {
            exportConstants: {
              name: "shared_constants",
              definitions: Object.fromEntries(exportedConstants.map((name) => [name, constant(random, name)])),
            },
          },
        ]
      : []),
    ...sets.map((set) => derivedRoles(maker, set.name, set.roles)),
    ...ownKinds.flatMap((kind) => resourcePolicies(maker, kind, sets)),
    ...principalPolicies(maker),
    ...rolePolicies(maker),
    ...(quirk === "unchecked files" ? [broken(random)] : []),
  ];
  const mixed = random.some(policies.length, policies.length, policies);
  const order = [
    ...mixed.filter(({ rolePolicy }) => rolePolicy !== undefined),
    ...mixed.filter(({ rolePolicy }) => rolePolicy === undefined),
  ];
  return { settings: makeSettings(random), files: order.map((policy): File => styled(random, quirk, policy)) };
}

const derivedSets = [
  { name: "set_one", roles: ["near", "far"] },
  { name: "set-two", roles: ["deep", "constructor"] },
] as const;
type DerivedSet = (typeof derivedSets)[number];

/** A variable that has a value whatever the request says, so that it is never unset; some stores are made of the others. */
function variableText(random: Random, names: Names): string {
  const certain = [
    "R.attr.n > 2.0",
    "R.attr.b",
    "P.attr.level == 1.0",
    "R.attr.owner == P.id",
    '"a" in R.attr.l',
    "has(R.attr.unsure)",
    "G.flag",
    'P.attr.dept == "it"',
  ];
  const part = (): string =>
    names.variables.length > 0 && random.chance(0.5) ? `V.${random.pick(names.variables)}` : random.pick(certain);
  if (names.quirk === "failing variables" && random.chance(0.5))
    return random.pick(["R.attr.absent == 1", "R.attr.unsure > 1", "R.attr.unsure.x", "!R.attr.unsure"]);
  if (names.quirk === "missing global" && random.chance(0.2)) return "G.nowhere == null";
  return random.weigh([
    [5, part],
    [2, () => `${part()} ${random.pick(["&&", "||"])} ${part()}`],
    [1, () => `!(${part()})`],
  ]);
}

const constant = (random: Random, name: string): Json =>
  name.endsWith("list") ? random.some(0, 2, ["a", "b", "apple"]) : random.pick([1, 2, 3.5]);

function derivedRoles(maker: Maker, name: string, roles: readonly string[]): Policy {
  const { random, quirk } = maker;
  const { blocks, names } = maker.definitions("derived");
  const patterns = quirk === "role wildcards" ? [...rolePatterns, "team_*", "{user,admin}*"] : rolePatterns;
  return {
    derivedRoles: {
      name,
      ...blocks,
      definitions: roles.map((role): DerivedRole => ({
        name: role,
        parentRoles: random.some(1, 3, patterns),
        ...(random.chance(0.8) && { condition: { match: match(random, names, 1) } }),
      })),
    },
  };
}

function resourcePolicies(maker: Maker, kind: string, sets: readonly DerivedSet[]): readonly Policy[] {
  const { random, quirk } = maker;
  return [...new Set(random.several(1, 2, () => random.pick(versions)))].flatMap((version) => {
    const own = ["", ...inheriting(maker.scopes.filter(() => random.chance(0.6)))];
    // Not compared where a role policy does not forgive it: then neither side takes the store.
    return own
      .filter((scope) => quirk !== "missing ancestors" || random.chance(scope.includes(".") ? 1 : 0.5))
      .map((scope) => resourcePolicy(maker, kind, version, scope, sets));
  });
}

function resourcePolicy(maker: Maker, kind: string, version: string, scope: string, sets: readonly DerivedSet[]): Policy {
  const { random, quirk } = maker;
  const { blocks, names } = maker.definitions("own");
  const imported = sets.filter(() => random.chance(0.8));
  const derived = imported.flatMap((set) => [...set.roles]);
  const patterns = quirk === "role wildcards" ? [...rolePatterns, "team_*", "team_*", "my*", "{user,admin}*"] : rolePatterns;
  const rules = random.several(random.chance(0.06) ? 0 : 2, 7, (index): ResourceRule => {
    const derivedRoles = random.chance(0.4) ? random.some(1, 2, derived) : [];
    return {
      ...(random.chance(0.15) && { name: `own.${index}` }),
      ...(quirk === "equal names" && random.chance(0.4) && { name: `rule-00${(index % 6) + 2}` }),
      actions: random.some(1, 3, actionPatterns),
      ...(derivedRoles.length > 0 && { derivedRoles }),
      ...((derivedRoles.length === 0 || random.chance(0.3)) && { roles: random.some(1, 2, patterns) }),
      effect: random.chance(0.7) ? "EFFECT_ALLOW" : "EFFECT_DENY",
      ...maker.told({ ...names, runtime: derived.length > 0 }),
    };
  });
  // The deprecated spelling of variables, where the policy has no other variables.
  const deprecated = blocks.variables?.import === undefined && random.chance(0.15) ? blocks.variables?.local : undefined;
  return {
    ...(random.chance(0.02) && scope !== "" && !maker.scopes.some((other) => other.startsWith(`${scope}.`)) && { disabled: true }),
    ...(deprecated !== undefined && { variables: deprecated }),
    resourcePolicy: {
      resource: kind,
      version,
      ...(scope !== "" && { scope }),
      ...permissionsOf(maker, scope),
      ...(imported.length > 0 && { importDerivedRoles: imported.map((set) => set.name) }),
      ...(deprecated === undefined ? blocks : { ...(blocks.constants !== undefined && { constants: blocks.constants }) }),
      rules: withoutEqualNames(rules),
    },
  };
}

/** Equal names of one policy do not compile. */
function withoutEqualNames(rules: readonly ResourceRule[]): readonly ResourceRule[] {
  const met = new Set<string>();
  return rules.map(({ name, ...rule }) => {
    if (name === undefined || met.has(name)) return rule;
    met.add(name);
    return { name, ...rule };
  });
}

/** What a policy of a scope says of it. */
export function permissionsOf({ permissions, quirk, random }: Maker, scope: string): { readonly scopePermissions?: Permissions } {
  const said =
    quirk === "mixed permissions" && random.chance(0.5)
      ? random.pick([
          "SCOPE_PERMISSIONS_OVERRIDE_PARENT",
          "SCOPE_PERMISSIONS_UNSPECIFIED",
          "SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS",
        ] as const)
      : permissions.get(scope);
  return said === undefined ? {} : { scopePermissions: said };
}

/** A file that nobody imports, with an expression that does not compile. */
const broken = (random: Random): Policy =>
  random.pick<Policy>([
    { exportVariables: { name: "unused", definitions: { wrong: '1 + "a"' } } },
    { derivedRoles: { name: "unused", definitions: [{ name: "nobody", parentRoles: ["user"], condition: { match: { expr: "1 ==" } } }] } },
  ]);

function styled(random: Random, quirk: Quirk | undefined, policy: Policy): File {
  if (quirk === "merge" && policy.resourcePolicy !== undefined) {
    const [first, second] = policy.resourcePolicy.rules;
    if (first !== undefined && second !== undefined && Object.keys(first).every((key) => Object.hasOwn(second, key)))
      return { style: "merge", policy };
  }
  return { style: random.pick(["block", "block", "flow", "json", "snake"]), policy };
}
