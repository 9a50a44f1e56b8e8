/** The straight way to a decision: of an input like most others only the rows are asked, and nothing is opened besides a query. */
import type { EvaluationContext } from "../cel/declare.ts";
import { work } from "../cel/work.ts";
import { ActionDecisions } from "./action-decisions.ts";
import { waysOfFew } from "./batch.ts";
import { decisionOf, resourceRoute } from "./decide.ts";
import type { ActionDecision, Decision } from "./decision.ts";
import { ALLOW, DENY } from "./effect.ts";
import type { CheckInput, CheckOptions } from "./input.ts";
import { listOf } from "./list-of.ts";
import { asksPlainly, decidePlainly } from "./plain.ts";
import { priceOfAction } from "./price.ts";
import { Query } from "./query.ts";
import { few } from "./role-ways.ts";
import type { Router } from "./router.ts";
import { hasLeadingDot } from "./scopes.ts";

/** Whether the inputs of a call may go straight. */
export const goesStraight = (options: CheckOptions): boolean => options.schemas === undefined && asksPlainly(options);

/** What `decide` decides of an input; nothing where more than rows may matter. */
export function decideStraight(router: Router, context: EvaluationContext, input: CheckInput, options: CheckOptions): Decision | undefined {
  const { principal, resource, actions } = input;
  const { roles } = principal;
  if (roles.length > few || hasLeadingDot(principal.scope) || hasLeadingDot(resource.scope)) return undefined;
  if (router.hasPrincipals && router.hasPolicy(principal.id)) return undefined;
  const route = resourceRoute(router, input, options);
  const { program, parents, visits, undecided } = route;
  if (program === undefined || parents !== undefined) return undefined;
  const ways = waysOfFew(route.meeting, roles);
  if (!ways.isPlain) return undefined;
  const query = new Query(input, options.globals, context, undefined, program);
  const { only } = ways;
  if (only === undefined) return decisionOf(input, decidePlainly(ways, route, query, actions), none);
  const { part, matched, price } = only;
  const visit = visits[only.at];
  const decided = listOf<ActionDecision>(actions.length);
  for (let at = 0; at < actions.length; at++) {
    const action = actions[at] ?? "";
    work(priceOfAction(price, action));
    const effect = part?.decide(query, action, matched, part.first);
    decided[at] = (effect === ALLOW ? visit?.allow : effect === DENY ? visit?.deny : undefined) ?? undecided;
  }
  return decisionOf(input, new ActionDecisions(actions, decided), none);
}

const none: readonly never[] = Object.freeze([]);
