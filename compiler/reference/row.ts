/** A row: a rule as it applies at one scope to one action and one role (semantics 4.1), or why it does not apply. */
import type { Condition, CompiledExpression } from "../../runtime/decide/condition.ts";
import type { PolicyType } from "../../runtime/decide/policy-name.ts";
import type { DerivedRole, PolicySet, PrincipalPolicy, RoleRule, RolePolicy, ResourcePolicy, RuleOutput } from "../link/policy-set.ts";
import type { Effect, ScopePermissions } from "../policy/document.ts";
import type { Answer, Outcome } from "./reason.ts";

/** A policy that decides. */
export type DecidingPolicy = ResourcePolicy | PrincipalPolicy | RolePolicy;

/** What rules of all types have. */
export type AnyRule = Omit<RoleRule, "resource" | "allowActions">;

/** Which rule of which policy is looked at. */
export interface Place {
  readonly type: PolicyType;
  readonly policy: DecidingPolicy;
  /** Absent where a role policy answers as a whole. */
  readonly rule?: AnyRule;
  readonly needsConsent: boolean;
}

/** A rule that does not apply. */
export interface PassedOver extends Place {
  readonly outcome: Outcome;
}

/** A rule that applies when its condition, and its derived role's, say so. */
export interface Row extends Place {
  readonly derivedRole?: DerivedRole;
  readonly condition?: Condition;
  readonly whenMet: Consequence;
  readonly whenNotMet: Consequence;
  /** What is said of a row that is satisfied; `satisfied` unless a role policy answers as a whole. */
  readonly outcome: Outcome;
}

/** What follows: an answer, and something to tell the caller besides. */
export interface Consequence {
  readonly answer: Answer;
  readonly output?: CompiledExpression;
}

/** Says whether it is a row. */
export const isRow = (candidate: Row | PassedOver): candidate is Row => "whenMet" in candidate;

/**
 * What the rule of a resource or principal policy does (semantics 4.1 and 4.7). Where parents must consent, an ALLOW with a
 * condition is "deny unless": its outputs stay where they were, so that each is told in the other case.
 */
export function consequences(
  effect: Effect,
  { condition, output }: { readonly condition?: Condition; readonly output?: RuleOutput },
  needsConsent: boolean,
): Pick<Row, "whenMet" | "whenNotMet"> {
  const activated = output?.ruleActivated;
  const notMet = output?.conditionNotMet;
  if (needsConsent && effect === "allow" && condition !== undefined) {
    return { whenMet: tell("none", notMet), whenNotMet: tell("deny", activated) };
  }
  return { whenMet: tell(effect, activated), whenNotMet: tell("none", notMet) };
}

/** Makes a consequence. */
export const tell = (answer: Answer, output: CompiledExpression | undefined): Consequence => ({
  answer,
  ...(output !== undefined && { output }),
});

/** Semantics 4.1: a scope has one permission for the whole store; one in which only role policies stand has none. */
export const scopePermissions = (set: PolicySet, scope: string): ScopePermissions | undefined =>
  [...set.resourcePolicies, ...set.principalPolicies].find((policy) => policy.scope === scope)?.scopePermissions;
