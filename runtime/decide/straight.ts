/** The straight way to a decision: of an input like most others only the rows are asked, and nothing is opened besides a query. */
import type { EvaluationContext } from "../cel/declare.ts";
import { ActionDecisions } from "./action-decisions.ts";
import { waysOfFew } from "./batch.ts";
import { decisionOf, resourceRoute } from "./decide.ts";
import type { ActionDecision, Decision } from "./decision.ts";
import { ALLOW, DENY } from "./effect.ts";
import type { CheckInput, CheckOptions } from "./input.ts";
import { listOf } from "./list-of.ts";
import { ask, asksPlainly, decideByRoles, decidePlainly } from "./plain.ts";
import { Query } from "./query.ts";
import { few, type RoleWays } from "./role-ways.ts";
import type { Route } from "./route.ts";
import type { Router } from "./router.ts";
import { hasLeadingDot } from "./scopes.ts";

/** Whether the inputs of a call may go straight. */
export const goesStraight = (options: CheckOptions): boolean => options.schemas === undefined && asksPlainly(options);

/** What `decide` decides of an input; nothing where more than rows may matter. */
export function decideStraight(router: Router, context: EvaluationContext, input: CheckInput, options: CheckOptions): Decision | undefined {
  const { actions } = input;
  if (!isPlain(router, input)) return undefined;
  const route = resourceRoute(router, input, options);
  const ways = plainWays(route, input);
  if (ways === undefined) return undefined;
  const { program, visits, undecided } = route;
  const query = new Query(input, options.globals, context, undefined, program);
  const { only } = ways;
  if (only === undefined) return decisionOf(input, decidePlainly(ways, route, query, actions), none);
  const visit = visits[only.at];
  const decided = listOf<ActionDecision>(actions.length);
  for (let at = 0; at < actions.length; at++) {
    const action = actions[at] ?? "";
    const effect = ask(only, query, action);
    decided[at] = (effect === ALLOW ? visit?.allow : effect === DENY ? visit?.deny : undefined) ?? undecided;
  }
  return decisionOf(input, new ActionDecisions(actions, decided), none);
}

/** Whether the one action of an input is allowed: makes a query, and nothing besides. */
export function allowsStraight(router: Router, context: EvaluationContext, input: CheckInput, options: CheckOptions): boolean | undefined {
  if (!isPlain(router, input)) return undefined;
  const route = resourceRoute(router, input, options);
  const ways = plainWays(route, input);
  if (ways === undefined) return undefined;
  const query = new Query(input, options.globals, context, undefined, route.program);
  const action = input.actions[0] ?? "";
  const { only } = ways;
  if (only !== undefined) return ask(only, query, action) === ALLOW;
  return decideByRoles(ways.ways, route.visits, route.undecided, query, action).effect === "EFFECT_ALLOW";
}

/** Whether few roles ask, in scopes as they are called, and no policy of the principal's own counts. */
const isPlain = ({ hasPrincipals, hasPolicy }: Router, { principal, resource }: CheckInput): boolean =>
  principal.roles.length <= few &&
  !hasLeadingDot(principal.scope) &&
  !hasLeadingDot(resource.scope) &&
  !(hasPrincipals && hasPolicy(principal.id));

/** What the roles meet, where nothing but what rows say can matter. */
function plainWays({ program, parents, meeting }: Route, { principal }: CheckInput): RoleWays | undefined {
  if (program === undefined || parents !== undefined) return undefined;
  const ways = waysOfFew(meeting, principal.roles);
  return ways.isPlain ? ways : undefined;
}

const none: readonly never[] = Object.freeze([]);
