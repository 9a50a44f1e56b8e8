/** Evaluates the role policies that apply to an input. They restrict what other policies allow. */
import { work } from "../cel/work.ts";
import type { ActionDecision } from "./decision.ts";
import { DENY } from "./effect.ts";
import { fail, UnitEvaluation, type DecisionState } from "./unit-evaluation.ts";
import type { LoadedUnit } from "./loaded-unit.ts";
import { matchesNone } from "./patterns.ts";
import { priceOfAction } from "./price.ts";
import type { RoleRestriction } from "./role-path.ts";

/** The role policies evaluated for one input. The last one is kept apart, because it is usually the next one too. */
export interface RestrictionsEvaluated {
  readonly state: DecisionState;
  restrictions: Map<LoadedUnit, UnitEvaluation> | undefined;
  lastRestriction: UnitEvaluation | undefined;
}

/** Returns the denial of a role policy; undefined if none denies. */
export function findRestrictionDenial(
  evaluated: RestrictionsEvaluated,
  restrictions: readonly RoleRestriction[],
  action: string,
  roles: readonly string[],
): ActionDecision | undefined {
  const { state } = evaluated;
  for (const { policy, kinds, deny } of restrictions) {
    if (matchesNone(kinds)) {
      // It lists no rule for this kind, so it denies without being run.
      state.effectivePolicies?.add(policy);
      return deny;
    }
    work(priceOfAction(policy.content.price, action));
    const evaluation = evaluationOf(evaluated, policy.unit);
    evaluation.query.effectiveDerivedRoles = roles;
    const part = policy.content.part();
    const effect = part.decide(evaluation.query, action, kinds, part.first);
    if (state.effectivePolicies !== undefined && (effect === DENY || evaluation.wasEvaluated(policy.index)))
      state.effectivePolicies.add(policy);
    if (evaluation.strict !== undefined) {
      const failed = evaluation.takeFailure();
      if (failed !== undefined) return fail(state, failed);
    }
    if (effect === DENY) return deny;
  }
  return undefined;
}

function evaluationOf(evaluated: RestrictionsEvaluated, unit: LoadedUnit): UnitEvaluation {
  const last = evaluated.lastRestriction;
  if (last?.unit === unit) return last;
  const evaluation = evaluated.restrictions?.get(unit) ?? new UnitEvaluation(unit, evaluated.state);
  // No map for a single role policy: most requests involve only one.
  if (last !== undefined) (evaluated.restrictions ??= new Map([[last.unit, last]])).set(unit, evaluation);
  return (evaluated.lastRestriction = evaluation);
}
