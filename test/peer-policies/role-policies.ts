/** Random role policies. */
import type { Names } from "./expressions.ts";
import type { Maker } from "./policies.ts";
import type { Policy, RoleRule } from "./store.ts";
import { allowedActions, roles, starlessGlobs, versions } from "./vocabulary.ts";
import { sanitise } from "../../compiler/policy/names.ts";

/** Policies for some roles; two stores in five have none. */
export function rolePolicies(maker: Maker): readonly Policy[] {
  const { random, quirk, scopes, permissions } = maker;
  const wanted =
    quirk === "overlapping role rules" ||
    quirk === "globs without a star" ||
    quirk === "words of role rules" ||
    quirk === "missing ancestors";
  if (!wanted && random.chance(0.4)) return [];
  const places = random.several(1, 4, () => ({
    role: random.pick(["clerk", "boss", "my-role", "team_a", "user"]),
    version: random.pick(versions),
    scope: random.chance(0.5) ? "" : random.pick(["", ...scopes]),
  }));
  const met = new Set<string>();
  return places.flatMap(({ role, version, scope }) => {
    // In 0.51 a role policy has no permissions, which is a conflict where others require consent; only the first file is not counted.
    const requires = permissions.get(scope) === "SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS";
    const key = JSON.stringify(requires ? [scope] : [role, version, scope]);
    if (met.has(key)) return [];
    met.add(key);
    return [rolePolicy(maker, role, version, scope)];
  });
}

function rolePolicy(maker: Maker, role: string, version: string, scope: string): Policy {
  const { random, quirk } = maker;
  const wordy = quirk === "words of role rules";
  const { blocks, names } = maker.definitions("role");
  const shown: Names = wordy ? names : { ...names, variables: [], constants: [] };
  return {
    rolePolicy: {
      role,
      ...((version !== "default" || random.chance(0.7)) && { version }),
      ...(scope !== "" && { scope }),
      ...(random.chance(0.85) && {
        parentRoles: random.some(
          1,
          2,
          roles.filter((other) => other !== role),
        ),
      }),
      ...(wordy && blocks),
      rules: roleRules(maker, shown),
    },
  };
}

function roleRules(maker: Maker, names: Names): readonly RoleRule[] {
  const { random, quirk, kinds } = maker;
  const allowed = quirk === "globs without a star" ? [...allowedActions, ...starlessGlobs, ...starlessGlobs] : allowedActions;
  const rule = (resource: string): RoleRule => ({
    ...(quirk === "words of role rules" && random.chance(0.5) && { name: random.pick(["one", "two"]) }),
    resource,
    allowActions: random.some(1, 4, allowed),
    ...maker.told(names, { conditioned: 0.4, output: quirk === "words of role rules" ? 0.6 : 0 }),
  });
  // Kinds are compared sanitised, and rules of a role policy are not: as written, only some can match in 0.51.
  const plain = kinds.filter((kind) => sanitise(kind) === kind);
  const written = quirk === "kind patterns" ? [...kinds, "leave-*", "report:*", "ns/**", "leave_*"] : [...plain, ...kinds.map(sanitise)];
  if (quirk === "overlapping role rules") return random.several(2, 4, () => rule(random.pick(["*", "*", "a*", ...written])));
  // Either everything in one pattern, or kinds that do not overlap: what is evaluated together is so by decision.
  if (random.chance(0.5)) return random.several(random.chance(0.06) ? 0 : 1, 3, () => rule("*"));
  const some = random.some(1, 2, [...new Set(written)]);
  return some.flatMap((resource) => random.several(1, 2, () => rule(resource)));
}
