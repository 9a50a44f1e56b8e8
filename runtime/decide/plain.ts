/** The fast path along routes where only the rows decide: it opens a query, and nothing else. */
import { work } from "../cel/work.ts";
import { ActionDecisions } from "./action-decisions.ts";
import type { ActionDecision } from "./decision.ts";
import { NONE, type RowEffect } from "./effect.ts";
import { listOf } from "./list-of.ts";
import { priceOfAction } from "./price.ts";
import type { Query } from "./query.ts";
import type { RoleWays } from "./role-ways.ts";
import type { CheckOptions } from "./input.ts";
import { reportAt, type Route } from "./route.ts";
import type { Step, Way } from "./way.ts";

/** Whether a caller wants to know what is decided, and nothing else. */
export const asksPlainly = ({ effectiveDerivedRoles, evaluationErrors, strictEvaluation, effectivePolicies }: CheckOptions): boolean =>
  effectiveDerivedRoles === false && !evaluationErrors && !strictEvaluation && !effectivePolicies;

/** What `pass.ts` decides of these actions, along ways that are plain. */
export function decidePlainly({ ways, only }: RoleWays, route: Route, query: Query, actions: readonly string[]): ActionDecisions {
  const decided = listOf<ActionDecision>(actions.length);
  for (let at = 0; at < actions.length; at++) {
    const action = actions[at] ?? "";
    decided[at] =
      only === undefined ? decideByRoles(ways, route, query, action) : (decideAt(only, route, query, action) ?? route.undecided);
  }
  return new ActionDecisions(actions, decided);
}

/** Across roles ALLOW beats DENY; where no role is allowed, the first that was decided is reported. */
export function decideByRoles(ways: readonly Way[], route: Route, query: Query, action: string): ActionDecision {
  const { undecided } = route;
  let result = undecided;
  for (let at = 0; at < ways.length; at++) {
    const current = decideAlong(ways[at]?.steps ?? none, route, query, action) ?? undecided;
    if (current.effect === "EFFECT_ALLOW") return current;
    if (result === undecided) result = current;
  }
  return result;
}

/** The nearest scope that decides wins. */
function decideAlong(steps: readonly Step[], route: Route, query: Query, action: string): ActionDecision | undefined {
  for (let at = 0; at < steps.length; at++) {
    const step = steps[at];
    const decided = step && decideAt(step, route, query, action);
    if (decided !== undefined) return decided;
  }
  return undefined;
}

/** What one policy says to one role. */
function decideAt(step: Step, route: Route, query: Query, action: string): ActionDecision | undefined {
  return reportAt(route, step.at, ask(step, query, action));
}

/** Asks one policy, for one role. */
export function ask({ part, price, matched }: Step, query: Query, action: string): RowEffect {
  work(priceOfAction(price, action));
  return part === undefined ? NONE : part.decide(query, action, matched, part.first);
}

const none: readonly Step[] = [];
