/** Evaluates the derived roles of a principal in one policy (semantics 4.6). */
import { evalError } from "../../runtime/cel/error.ts";
import type { DerivedRole, ResourcePolicy } from "../link/policy-set.ts";
import { activate, type DerivedRoleNames, type Evaluation } from "./activation.ts";
import { conditionResult, failed } from "./condition.ts";

/** The active derived roles of one policy, for the response and for its conditions. */
export interface ActiveDerivedRoles {
  /** Sorted. */
  readonly names: readonly string[];
  /** The value of `runtime.effectiveDerivedRoles` in conditions at the policy's scope. */
  readonly visible: DerivedRoleNames;
}

/** Scopes without a resource policy have no derived roles; neither have principal policies (D32). */
export const noDerivedRoles: ActiveDerivedRoles = { names: [], visible: [] };

/**
 * Returns the active derived roles among those that the policy's rules refer to. `roles` are the principal's roles
 * with all their parents.
 */
export function activeDerivedRoles(policy: ResourcePolicy, roles: readonly string[], evaluation: Evaluation): ActiveDerivedRoles {
  const active: string[] = [];
  const broken: string[] = [];
  for (const derivedRole of policy.derivedRoles) {
    // 4.6: here parent roles are compared literally, except for `*`.
    if (!derivedRole.parentRoles.some((parent) => parent === "*" || roles.includes(parent))) continue;
    const held = evaluateActivity(derivedRole, evaluation);
    if (failed(held, evaluation)) broken.push(derivedRole.name);
    else if (held.holds) active.push(derivedRole.name);
  }
  const names = active.toSorted();
  if (broken.length === 0) return { names, visible: names };
  const which = broken.toSorted().join(", ");
  return { names, visible: evalError("invalid argument", `failed to compute effective derived roles [${which}]`) };
}

function evaluateActivity(derivedRole: DerivedRole, evaluation: Evaluation) {
  // 4.6, a quirk of non-strict evaluation: here a variable that fails is null; in a rule that names the derived role
  // it is unset.
  const whenFailed = evaluation.options.strictEvaluation ? "unset" : "null";
  // While the list is being computed, it is empty.
  const bindings = activate(derivedRole, [], whenFailed, evaluation);
  return conditionResult(derivedRole.condition, bindings, evaluation);
}
