/** A row: a rule applied at one scope to one action and one role (semantics 4.1); or the reason why it does not apply. */
import type { Condition, CompiledExpression } from "../../runtime/decide/condition.ts";
import type { PolicyType } from "../../runtime/decide/policy-name.ts";
import type { DerivedRole, PolicySet, PrincipalPolicy, RoleRule, RolePolicy, ResourcePolicy, RuleOutput } from "../link/policy-set.ts";
import type { Effect, ScopePermissions } from "../policy/document.ts";
import type { Answer, Outcome } from "./reason.ts";

/** A policy with rules. */
export type DecidingPolicy = ResourcePolicy | PrincipalPolicy | RolePolicy;

/** The fields that rules of all types have. */
export type AnyRule = Omit<RoleRule, "resource" | "allowActions">;

/** The rule and policy of a row. */
export interface RuleInPolicy {
  readonly type: PolicyType;
  readonly policy: DecidingPolicy;
  /** Absent if a role policy denies as a whole. */
  readonly rule?: AnyRule;
  readonly needsConsent: boolean;
}

/** A rule that does not apply. */
export interface SkippedRule extends RuleInPolicy {
  readonly outcome: Outcome;
}

/** A rule that applies if its condition, and that of its derived role, hold. */
export interface Row extends RuleInPolicy {
  readonly derivedRole?: DerivedRole;
  readonly condition?: Condition;
  readonly whenMet: Consequence;
  readonly whenNotMet: Consequence;
  /** The outcome of a row whose condition holds: `satisfied`, unless a role policy denies as a whole. */
  readonly outcome: Outcome;
}

/** The consequence of a row: an effect, and possibly an output. */
export interface Consequence {
  readonly answer: Answer;
  readonly output?: CompiledExpression;
}

/** Whether a candidate is a row. */
export const isRow = (candidate: Row | SkippedRule): candidate is Row => "whenMet" in candidate;

/**
 * Returns the consequences of a rule of a resource or principal policy (semantics 4.1 and 4.7). Where parental
 * consent is required, an ALLOW with a condition becomes "deny unless": its outputs are swapped accordingly, so that
 * each is produced in the other case.
 */
export function consequences(
  effect: Effect,
  { condition, output }: { readonly condition?: Condition; readonly output?: RuleOutput },
  needsConsent: boolean,
): Pick<Row, "whenMet" | "whenNotMet"> {
  const activated = output?.ruleActivated;
  const notMet = output?.conditionNotMet;
  if (needsConsent && effect === "allow" && condition !== undefined) {
    return { whenMet: consequenceOf("none", notMet), whenNotMet: consequenceOf("deny", activated) };
  }
  return { whenMet: consequenceOf(effect, activated), whenNotMet: consequenceOf("none", notMet) };
}

/** Makes a consequence. */
export const consequenceOf = (answer: Answer, output: CompiledExpression | undefined): Consequence => ({
  answer,
  ...(output !== undefined && { output }),
});

/** Semantics 4.1: a scope has one permission for the whole store. A scope that has only role policies has none. */
export const scopePermissions = (set: PolicySet, scope: string): ScopePermissions | undefined =>
  [...set.resourcePolicies, ...set.principalPolicies].find((policy) => policy.scope === scope)?.scopePermissions;
