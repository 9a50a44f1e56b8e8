/** The rows of a resource policy (semantics 4.1): one for each action, and each role or derived role's parent, of each rule. */
import { invariant } from "../../runtime/cel/error.ts";
import type { DerivedRole, ResourcePolicy, Rule } from "../link/policy-set.ts";
import { matchesPattern } from "./names.ts";
import { consequences, type SkippedRule, type Row } from "./row.ts";

/** Returns the rows for one action and one role with its parents, in source order. */
export function resourceRows(policy: ResourcePolicy | undefined, action: string, roles: readonly string[]): readonly (Row | SkippedRule)[] {
  if (policy === undefined) return [];
  const needsConsent = policy.scopePermissions === "require parental consent";
  return policy.rules.flatMap((rule): readonly (Row | SkippedRule)[] => {
    const place = { type: "resource", policy, rule, needsConsent } as const;
    const actions = rule.actions.filter((pattern) => matchesPattern(pattern, action));
    if (actions.length === 0) return [{ ...place, outcome: "other action" }];
    const ways = waysTo(policy, rule, roles);
    if (ways.length === 0) return [{ ...place, outcome: "other role" }];
    // 4.7: each matching action of the rule makes a row for each way in which the rule applies, and each row has its
    // own outputs.
    return actions.flatMap(() =>
      ways.map((derivedRole) => ({
        ...place,
        ...(derivedRole !== "itself" && { derivedRole }),
        ...(rule.condition && { condition: rule.condition }),
        ...consequences(rule.effect, rule, needsConsent),
        outcome: "satisfied" as const,
      })),
    );
  });
}

/**
 * Returns the ways in which a rule applies to roles: one for each matching role that it names itself, one for each
 * matching parent role of its derived roles.
 */
export function waysTo(policy: ResourcePolicy, rule: Rule, roles: readonly string[]): readonly (DerivedRole | "itself")[] {
  return [
    ...matchingRoles(rule.roles, roles).map(() => "itself" as const),
    ...rule.derivedRoles.flatMap((name) => {
      const derivedRole = policy.derivedRoles.find((each) => each.name === name);
      invariant(derivedRole, "linking gives a policy every derived role that its rules refer to");
      return matchingRoles(derivedRole.parentRoles, roles).map(() => derivedRole);
    }),
  ];
}

/** Returns the role patterns that match one of these roles. */
export const matchingRoles = (patterns: readonly string[], roles: readonly string[]): readonly string[] =>
  patterns.filter((pattern) => roles.some((role) => matchesPattern(pattern, role)));
