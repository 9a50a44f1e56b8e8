/** Turns rules into rows; what a scope may only allow with consent of its parents becomes what it denies (semantics 4.1). */
import type { Condition } from "../../runtime/decide/condition.ts";
import type { PrincipalRule, Rule, RoleRule, RuleOutput, ScopePermissions } from "../link/policy-set.ts";
import { matchesOfAllowed, matchOf } from "./patterns.ts";
import type { Row, RowOutput } from "./table.ts";

/** The number of a pattern of the policy. */
type NumberPattern = (pattern: string) => number;

/** The policy that a rule stands in. */
interface Around {
  readonly key: string;
  readonly scopePermissions: ScopePermissions;
}

/** One rule of a resource policy. */
export const lowerResourceRule = (rule: Rule, policy: Around, number: NumberPattern, derivedRoleNamed: (name: string) => number): Row => ({
  ...nameAndPlace(rule, policy),
  actions: rule.actions.map(matchOf),
  patterns: rule.roles.map(number),
  derivedRoles: rule.derivedRoles.map(derivedRoleNamed),
  ...verdict(rule, policy),
  ...outputOf(rule),
});

/** One action of a principal policy. */
export const lowerPrincipalRule = (rule: PrincipalRule, policy: Around, number: NumberPattern): Row => ({
  ...nameAndPlace(rule, policy),
  actions: [matchOf(rule.action)],
  patterns: [number(rule.resource)],
  derivedRoles: [],
  ...verdict(rule, policy),
  ...outputOf(rule),
});

/** One rule of a role policy: what it allows is what the role may do at most, so consent is no question. */
export const lowerRoleRule = (rule: RoleRule, policy: Omit<Around, "scopePermissions">, number: NumberPattern): Row => ({
  ...nameAndPlace(rule, policy),
  actions: rule.allowActions.flatMap(matchesOfAllowed),
  patterns: [number(rule.resource)],
  derivedRoles: [],
  effect: "allow",
  ...(rule.condition && { condition: rule.condition }),
  ...outputOf(rule),
});

const nameAndPlace = ({ name, span }: { readonly name: string; readonly span: Row["span"] }, { key }: { readonly key: string }) => ({
  rule: name,
  src: `${key}#${name}`,
  span,
});

/** An ALLOW that needs consent denies unless its condition holds; without one it says nothing. Outputs stay as they are. */
function verdict(
  { effect, condition }: { readonly effect: "allow" | "deny"; readonly condition?: Condition },
  { scopePermissions }: Around,
): Pick<Row, "effect" | "condition" | "unless"> {
  if (effect === "deny" || scopePermissions === "override parent") return { effect, ...(condition && { condition }) };
  return condition === undefined ? { effect: "none" } : { effect: "deny", condition, unless: true };
}

const outputOf = ({ output }: { readonly output?: RuleOutput }): { readonly output?: RowOutput } =>
  output === undefined
    ? {}
    : {
        output: {
          ...(output.ruleActivated && { met: output.ruleActivated }),
          ...(output.conditionNotMet && { notMet: output.conditionNotMet }),
        },
      };
