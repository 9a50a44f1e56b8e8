/** The rows of role policies (semantics 4.5, "Role policies"): they deny what the policies do not list, and never allow. */
import type { ResourcePolicy, RolePolicy, RoleRule } from "../link/policy-set.ts";
import { matchesKind, matchesListed } from "./names.ts";
import type { Outcome } from "./reason.ts";
import { matchingRoles } from "./resource-rows.ts";
import { consequenceOf, type SkippedRule, type Row } from "./row.ts";

/**
 * Returns the rows of the role policies of one scope for one kind, one action and one role with its parents, in the
 * order of the roles.
 */
export function roleRows(
  resourcePolicy: ResourcePolicy | undefined,
  rolePolicies: readonly RolePolicy[],
  kind: string,
  action: string,
  roles: readonly string[],
): readonly (Row | SkippedRule)[] {
  const ofRoles = roles.flatMap((role) => rolePolicies.filter((policy) => policy.writtenName === role));
  // A role policy without rules has no rows: it only defines parent roles.
  const asked = ofRoles.filter(({ rules }) => rules.length > 0);
  // 4.5, step 0: the scope must have a rule for the kind and one of these roles, whatever the action.
  const known =
    (resourcePolicy !== undefined && hasRuleFor(resourcePolicy, roles)) ||
    asked.some(({ rules }) => rules.some((rule) => matchesKind(rule.resource, kind)));
  return asked.flatMap((policy) => (known ? rowsOf(policy, kind, action) : [answer(policy, "kind unknown in scope")]));
}

/** Whether any rule is for one of the roles, directly or through a derived role. */
const hasRuleFor = ({ rules, derivedRoles }: ResourcePolicy, roles: readonly string[]): boolean =>
  [...rules.map((rule) => rule.roles), ...derivedRoles.map((role) => role.parentRoles)].some(
    (patterns) => matchingRoles(patterns, roles).length > 0,
  );

function rowsOf(policy: RolePolicy, kind: string, action: string): readonly (Row | SkippedRule)[] {
  // Step 1: the rules for the kind. If there is none, everything is denied.
  const aboutKind = policy.rules.filter((rule) => matchesKind(rule.resource, kind));
  if (aboutKind.length === 0) return [denial(policy, "kind not listed")];
  // Step 2: those of them that list the action. If there is none, the action is denied.
  const listing = aboutKind.filter(({ allowActions }) => allowActions.some((pattern) => matchesListed(pattern, action)));
  if (listing.length === 0) return [denial(policy, "action not listed")];
  // Step 3: the condition of each of them must hold (D36).
  return policy.rules.map((rule): Row | SkippedRule => {
    const place = { ...placeOf(policy), rule };
    if (!aboutKind.includes(rule)) return { ...place, outcome: "other kind" };
    if (!listing.includes(rule)) return { ...place, outcome: "other action" };
    return rowOf(policy, rule);
  });
}

/** Returns the row of a rule that lists the action: a DENY while its condition does not hold. */
const rowOf = (policy: RolePolicy, rule: RoleRule): Row | SkippedRule =>
  // A rule without condition and output has no row.
  rule.condition === undefined && rule.output?.ruleActivated === undefined
    ? { ...placeOf(policy), rule, outcome: "satisfied" }
    : {
        ...placeOf(policy),
        rule,
        ...(rule.condition && { condition: rule.condition }),
        whenMet: consequenceOf("none", rule.output?.ruleActivated),
        whenNotMet: consequenceOf("deny", rule.output?.conditionNotMet),
        outcome: "satisfied",
      };

/** Returns an unconditional DENY. */
const denial = (policy: RolePolicy, outcome: Outcome): Row => ({
  ...answer(policy, outcome),
  whenMet: consequenceOf("deny", undefined),
  whenNotMet: consequenceOf("none", undefined),
});

const answer = (policy: RolePolicy, outcome: Outcome): SkippedRule => ({ ...placeOf(policy), outcome });

// Role policies have no scope permissions.
const placeOf = (policy: RolePolicy) => ({ type: "role", policy, needsConsent: false }) as const;
