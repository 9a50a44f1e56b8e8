/** The rows of principal policies (semantics 4.1): one for each action of each resource pattern. */
import type { PrincipalPolicy } from "../link/policy-set.ts";
import { matchesKind, matchesPattern } from "./names.ts";
import { consequences, type SkippedRule, type Row } from "./row.ts";

/** Returns the rows of the rules for one kind and one action, in source order. */
export function principalRows(policies: readonly PrincipalPolicy[], kind: string, action: string): readonly (Row | SkippedRule)[] {
  return policies.flatMap((policy) => {
    const needsConsent = policy.scopePermissions === "require parental consent";
    return policy.rules.map((rule): Row | SkippedRule => {
      const place = { type: "principal", policy, rule, needsConsent } as const;
      if (!matchesKind(rule.resource, kind)) return { ...place, outcome: "other kind" };
      if (!matchesPattern(rule.action, action)) return { ...place, outcome: "other action" };
      return {
        ...place,
        ...(rule.condition && { condition: rule.condition }),
        ...consequences(rule.effect, rule, needsConsent),
        outcome: "satisfied",
      };
    });
  });
}
