/** Evaluates the role policies that apply to an input. They restrict what other policies allow. */
import { work } from "../cel/work.ts";
import type { ActionDecision } from "./decision.ts";
import { DENY } from "./effect.ts";
import { fail, Hearing, type Inquiry } from "./hearing.ts";
import type { LoadedUnit } from "./loaded-unit.ts";
import { matchesNone } from "./patterns.ts";
import { priceOfAction } from "./price.ts";
import type { Narrowing } from "./way.ts";

/** The role policies evaluated for one input. The last one is kept apart, because it is usually the next one too. */
export interface Narrowed {
  readonly inquiry: Inquiry;
  narrowing: Map<LoadedUnit, Hearing> | undefined;
  lastNarrowing: Hearing | undefined;
}

/** Returns the denial of a role policy; undefined if none denies. */
export function narrow(
  narrowed: Narrowed,
  narrowing: readonly Narrowing[],
  action: string,
  roles: readonly string[],
): ActionDecision | undefined {
  const { inquiry } = narrowed;
  for (const { policy, kinds, deny } of narrowing) {
    if (matchesNone(kinds)) {
      // It lists no rule for this kind, so it denies without being run.
      inquiry.considered?.add(policy);
      return deny;
    }
    work(priceOfAction(policy.terms.price, action));
    const hearing = hearRole(narrowed, policy.unit);
    hearing.query.effectiveDerivedRoles = roles;
    const part = policy.terms.part();
    const effect = part.decide(hearing.query, action, kinds, part.first);
    if (inquiry.considered !== undefined && (effect === DENY || hearing.wasAsked(policy.index))) inquiry.considered.add(policy);
    if (hearing.strict !== undefined) {
      const failed = hearing.takeFailure();
      if (failed !== undefined) return fail(inquiry, failed);
    }
    if (effect === DENY) return deny;
  }
  return undefined;
}

function hearRole(narrowed: Narrowed, unit: LoadedUnit): Hearing {
  const last = narrowed.lastNarrowing;
  if (last?.unit === unit) return last;
  const hearing = narrowed.narrowing?.get(unit) ?? new Hearing(unit, narrowed.inquiry);
  // No map for a single role policy: most requests involve only one.
  if (last !== undefined) (narrowed.narrowing ??= new Map([[last.unit, last]])).set(unit, hearing);
  return (narrowed.lastNarrowing = hearing);
}
