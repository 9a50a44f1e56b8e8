/** One policy at one scope of the chain, as a decision goes through it: its rules, each considered with what it needs. */
import type { Bindings } from "../../runtime/cel/evaluate/evaluate.ts";
import { invariant } from "../../runtime/cel/error.ts";
import type { DerivedRole, ResourcePolicy, Rule } from "../link/policy-set.ts";
import { activate, type Evaluation } from "./activation.ts";
import { evaluateHolding, failed } from "./condition.ts";
import { activeDerivedRoles } from "./derived-roles.ts";
import { matchesPattern } from "./glob.ts";
import type { Outcome, Reason } from "./reason.ts";

/** A rule as it applies to one role: through the role itself, or through a derived role whose parent it is. */
export interface Row {
  readonly rule: Rule;
  readonly derivedRole?: DerivedRole;
}

/** One policy, visited. */
export interface Visit {
  readonly policy: ResourcePolicy;
  /** The principal's derived roles here. */
  readonly derivedRoles: readonly string[];
  /** Considers the rules for one action and one role, in order; the caller stops when it has heard enough. */
  readonly considerRules: (action: string, role: string, roles: readonly string[]) => Iterable<Reason>;
}

/** Visits a policy for the first time in a decision: computes the derived roles, leaves the variables for the first row. */
export function openVisit(policy: ResourcePolicy, principalRoles: readonly string[], evaluation: Evaluation): Visit {
  const derivedRoles = activeDerivedRoles(policy, principalRoles, evaluation);

  // 4.5: the variables of a row's policy are evaluated once, when its first row is considered.
  let policyBindings: Bindings | undefined;
  const bindingsOfPolicy = (): Bindings => (policyBindings ??= activate(policy, derivedRoles.visible, "unset", evaluation));

  function consider({ rule, derivedRole }: Row): Pick<Reason, "outcome" | "errors"> {
    const bindings = bindingsOfPolicy();
    // 4.6: the derived role's condition comes first, with variables and constants of its own.
    if (derivedRole?.condition !== undefined) {
      const own = activate(derivedRole, derivedRoles.visible, "unset", evaluation);
      const active = evaluateHolding(derivedRole.condition, own, evaluation);
      if (failed(active, evaluation)) return { outcome: "failed", errors: active.errors };
      if (!active.holds) return { outcome: "derived role inactive", errors: active.errors };
    }
    const held = evaluateHolding(rule.condition, bindings, evaluation);
    const outcome: Outcome = failed(held, evaluation) ? "failed" : held.holds ? "satisfied" : "condition not met";
    return { outcome, errors: held.errors };
  }

  function* considerRules(action: string, role: string, roles: readonly string[]): Iterable<Reason> {
    for (const rule of policy.rules) {
      const about = { action, role, policy: policy.key, scope: policy.scope, rule: rule.name, effect: rule.effect, span: rule.span };
      // 4.2: actions and roles are globs only where they hold a `*`.
      if (!rule.actions.some((pattern) => matchesPattern(pattern, action))) {
        yield { ...about, outcome: "other action", errors: [] };
        continue;
      }
      const rows = rowsOf(policy, rule, roles);
      if (rows.length === 0) yield { ...about, outcome: "other role", errors: [] };
      for (const row of rows) {
        yield { ...about, ...(row.derivedRole && { derivedRole: row.derivedRole.name }), ...consider(row) };
      }
    }
  }

  return { policy, derivedRoles: derivedRoles.names, considerRules };
}

/** 4.1: one row for the roles that the rule names, and one for each derived role whose parents match. */
function rowsOf(policy: ResourcePolicy, rule: Rule, roles: readonly string[]): readonly Row[] {
  const matchesRole = (patterns: readonly string[]): boolean =>
    patterns.some((pattern) => roles.some((role) => matchesPattern(pattern, role)));
  const byDerivedRole = rule.derivedRoles.map((name) => {
    const derivedRole = policy.derivedRoles.find((each) => each.name === name);
    invariant(derivedRole, "linking gives a policy every derived role that its rules refer to");
    return derivedRole;
  });
  return [
    ...(matchesRole(rule.roles) ? [{ rule }] : []),
    ...byDerivedRole.filter(({ parentRoles }) => matchesRole(parentRoles)).map((derivedRole) => ({ rule, derivedRole })),
  ];
}
