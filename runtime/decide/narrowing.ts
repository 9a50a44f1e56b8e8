/** Asks the role policies on the way of an input, which narrow what other policies allow. */
import { work } from "../cel/work.ts";
import type { ActionDecision } from "./decision.ts";
import { DENY } from "./effect.ts";
import { fail, Hearing, type Inquiry } from "./hearing.ts";
import type { LoadedUnit } from "./loaded-unit.ts";
import { matchesNone } from "./patterns.ts";
import { priceOfAction } from "./price.ts";
import type { Narrowing } from "./way.ts";

/** The role policies on the way of one input, as they are asked; and the last of them, which mostly is the next. */
export interface Narrowed {
  readonly inquiry: Inquiry;
  narrowing: Map<LoadedUnit, Hearing> | undefined;
  lastNarrowing: Hearing | undefined;
}

/** What role policies say: a denial of their own, or nothing. */
export function narrow(
  narrowed: Narrowed,
  narrowing: readonly Narrowing[],
  action: string,
  roles: readonly string[],
): ActionDecision | undefined {
  const { inquiry } = narrowed;
  for (const { policy, kinds, deny } of narrowing) {
    if (matchesNone(kinds)) {
      // What it does not list at all it need not be asked about.
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
  // Of one role policy no list is kept: most requests meet but one.
  if (last !== undefined) (narrowed.narrowing ??= new Map([[last.unit, last]])).set(unit, hearing);
  return (narrowed.lastNarrowing = hearing);
}
