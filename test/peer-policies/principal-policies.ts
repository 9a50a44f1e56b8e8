/** Random principal policies. */
import type { Names } from "./expressions.ts";
import { type Maker, permissionsOf } from "./policies.ts";
import { inheriting } from "./scopes.ts";
import type { Policy, PrincipalAction } from "./store.ts";
import { actionPatterns, principals, versions } from "./vocabulary.ts";

/** Policies for some principals. */
export function principalPolicies(maker: Maker): readonly Policy[] {
  const { random, quirk } = maker;
  return random
    .some(quirk === "derived roles in principal policies" ? 2 : 0, 2, principals)
    .flatMap((principal) =>
      [...new Set(random.several(1, 2, () => random.pick(versions)))].flatMap((version) =>
        ["", ...inheriting(maker.scopes.filter(() => random.chance(0.5)))].map((scope) =>
          principalPolicy(maker, principal, version, scope),
        ),
      ),
    );
}

function principalPolicy(maker: Maker, principal: string, version: string, scope: string): Policy {
  const { random, quirk } = maker;
  const { blocks, names } = maker.definitions("principal");
  const patterns = kindPatterns(maker);
  return {
    principalPolicy: {
      principal,
      version,
      ...(scope !== "" && { scope }),
      ...permissionsOf(maker, scope),
      ...blocks,
      rules: random.some(random.chance(0.05) ? 0 : 1, 3, patterns).map((resource) => ({
        resource,
        actions: withoutEqualNames(
          random.several(1, 3, () => principalAction(maker, { ...names, runtime: quirk === "derived roles in principal policies" })),
        ),
      })),
    },
  };
}

const principalAction = (maker: Maker, names: Names): PrincipalAction => ({
  ...(maker.quirk === "equal names" && { name: maker.random.pick(["same", "other", "third"]) }),
  action: maker.random.pick(actionPatterns),
  effect: maker.random.chance(0.6) ? "EFFECT_ALLOW" : "EFFECT_DENY",
  ...maker.told(names, { conditioned: 0.75 }),
});

/** Equal names in one block do not compile; in two blocks they do. */
function withoutEqualNames(actions: readonly PrincipalAction[]): readonly PrincipalAction[] {
  const met = new Set<string>();
  return actions.map(({ name, ...action }) => {
    if (name === undefined || met.has(name)) return action;
    met.add(name);
    return { name, ...action };
  });
}

/** Kinds as written, and globs that mean the same before and after sanitising; one kind of store has the others. */
export const kindPatterns = ({ kinds, quirk }: Maker): readonly string[] => [
  ...kinds,
  "*",
  "a*",
  "{album,doc}*",
  "ghost",
  ...(quirk === "kind patterns" ? ["leave-*", "report:*", "leave_*", "report_*", "ns/**", "ns_*", "*-request", "doc:*"] : []),
];
