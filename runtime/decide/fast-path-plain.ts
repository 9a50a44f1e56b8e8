/**
 * A fast path for paths on which only the rows decide (no outputs, derived roles or role policies): creates nothing
 * but a query.
 */
import { work } from "../cel/work.ts";
import { ActionDecisions } from "./action-decisions.ts";
import type { ActionDecision } from "./decision.ts";
import { NONE, type RowEffect } from "./effect.ts";
import { priceOfAction } from "./price.ts";
import type { Query } from "./query.ts";
import type { RolePaths } from "./role-paths.ts";
import type { CheckOptions } from "./input.ts";
import { reportAt, type Route } from "./route.ts";
import type { Step, RolePath } from "./role-path.ts";

/** Whether a caller wants only the decisions: no derived roles, errors, policies or strict evaluation. */
export const wantsOnlyDecisions = ({
  effectiveDerivedRoles,
  evaluationErrors,
  strictEvaluation,
  effectivePolicies,
}: CheckOptions): boolean => effectiveDerivedRoles === false && !evaluationErrors && !strictEvaluation && !effectivePolicies;

/** Decides actions along plain paths; the result is that of `pass.ts`. */
export function decidePlainly({ paths, only }: RolePaths, route: Route, query: Query, actions: readonly string[]): ActionDecisions {
  const decided = actions.map((action) =>
    only === undefined ? decideByRoles(paths, route, query, action) : (decideAt(only, route, query, action) ?? route.undecided),
  );
  return new ActionDecisions(actions, decided);
}

/** Across roles ALLOW beats DENY. If no role is allowed, the decision of the first role that has one is returned. */
export function decideByRoles(paths: readonly RolePath[], route: Route, query: Query, action: string): ActionDecision {
  const { undecided } = route;
  let result = undecided;
  for (let at = 0; at < paths.length; at++) {
    const current = decideAlong(paths[at]?.steps ?? none, route, query, action) ?? undecided;
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

/** The decision of one policy for one role; undefined if it has none. */
function decideAt(step: Step, route: Route, query: Query, action: string): ActionDecision | undefined {
  return reportAt(route, step.at, evaluateStep(step, query, action));
}

/** Evaluates one policy for one role. */
export function evaluateStep({ part, price, matched }: Step, query: Query, action: string): RowEffect {
  work(priceOfAction(price, action));
  return part === undefined ? NONE : part.decide(query, action, matched, part.first);
}

const none: readonly Step[] = [];
