/** Lowers rules to rows. Where a scope requires parental consent, an ALLOW becomes a DENY (semantics 4.1). */
import type { Condition } from "../../runtime/decide/condition.ts";
import type { PrincipalRule, Rule, RoleRule, RuleOutput, ScopePermissions } from "../link/policy-set.ts";
import { matchesOfAllowed, matchOf } from "./patterns.ts";
import type { Row, RowOutput } from "./table.ts";

/** Returns the index of a pattern of the policy. */
type NumberPattern = (pattern: string) => number;

/** The policy of a rule. */
interface OwningPolicy {
  readonly key: string;
  readonly scopePermissions: ScopePermissions;
}

/** Lowers one rule of a resource policy. */
export function lowerResourceRule(
  rule: Rule,
  policy: OwningPolicy,
  number: NumberPattern,
  derivedRoleNamed: (name: string) => number,
): Row {
  const { effect, condition, unless } = verdict(rule, policy);
  const output = rule.output && outputOf(rule.output);
  return {
    rule: rule.name,
    src: sourceName(rule.name, policy),
    actions: rule.actions.map(matchOf),
    patterns: rule.roles.map(number),
    derivedRoles: rule.derivedRoles.map(derivedRoleNamed),
    effect,
    span: rule.span,
    ...(condition && { condition }),
    ...(unless && { unless }),
    ...(output && { output }),
  };
}

/** Lowers one action of a principal policy. */
export function lowerPrincipalRule(rule: PrincipalRule, policy: OwningPolicy, number: NumberPattern): Row {
  const { effect, condition, unless } = verdict(rule, policy);
  const output = rule.output && outputOf(rule.output);
  return {
    rule: rule.name,
    src: sourceName(rule.name, policy),
    actions: [matchOf(rule.action)],
    patterns: [number(rule.resource)],
    derivedRoles: [],
    effect,
    span: rule.span,
    ...(condition && { condition }),
    ...(unless && { unless }),
    ...(output && { output }),
  };
}

/** Lowers one rule of a role policy. What it allows is the most that the role may do, so consent does not matter. */
export function lowerRoleRule(rule: RoleRule, policy: Omit<OwningPolicy, "scopePermissions">, number: NumberPattern): Row {
  const output = rule.output && outputOf(rule.output);
  return {
    rule: rule.name,
    src: sourceName(rule.name, policy),
    actions: rule.allowActions.flatMap(matchesOfAllowed),
    patterns: [number(rule.resource)],
    derivedRoles: [],
    effect: "allow",
    span: rule.span,
    ...(rule.condition && { condition: rule.condition }),
    ...(output && { output }),
  };
}

const sourceName = (rule: string, { key }: { readonly key: string }): string => `${key}#${rule}`;

/**
 * Lowers the effect and the condition. Where consent is required, an ALLOW becomes a DENY unless its condition holds,
 * or `none` if it has no condition. Outputs are not affected.
 */
function verdict(
  { effect, condition }: { readonly effect: "allow" | "deny"; readonly condition?: Condition },
  { scopePermissions }: OwningPolicy,
): Pick<Row, "effect" | "condition" | "unless"> {
  if (effect === "deny" || scopePermissions === "override parent") return { effect, ...(condition && { condition }) };
  return condition === undefined ? { effect: "none" } : { effect: "deny", condition, unless: true };
}

const outputOf = ({ ruleActivated, conditionNotMet }: RuleOutput): RowOutput => ({
  ...(ruleActivated && { met: ruleActivated }),
  ...(conditionNotMet && { notMet: conditionNotMet }),
});
