/** The fastest path to a decision, for the most common inputs: only the rows are asked, and nothing is opened besides a query. */
import type { EvaluationContext } from "../cel/declare.ts";
import { work } from "../cel/work.ts";
import { ActionDecisions } from "./action-decisions.ts";
import { decisionOf, resourceRoute } from "./decide.ts";
import type { ActionDecision, Decision } from "./decision.ts";
import { ALLOW } from "./effect.ts";
import type { CheckInput, CheckOptions, Principal, Resource } from "./input.ts";
import { listOf } from "./list-of.ts";
import { ask, asksPlainly, decideByRoles, decidePlainly } from "./plain.ts";
import { priceOfAction } from "./price.ts";
import { Query } from "./query.ts";
import { few, type RoleWays } from "./role-ways.ts";
import { reportAt, type Route } from "./route.ts";
import type { Router } from "./router.ts";
import { hasLeadingDot } from "./scopes.ts";
import type { PricedUnit } from "./unit.ts";
import type { Step, Way } from "./way.ts";
import { waysOfFew } from "./ways-of-few.ts";

/** Whether the inputs of a call may go straight. */
export const goesStraight = (options: CheckOptions): boolean => options.schemas === undefined && asksPlainly(options);

/** What `decide` decides of an input; nothing where more than rows may matter. */
export function decideStraight(router: Router, context: EvaluationContext, input: CheckInput, options: CheckOptions): Decision | undefined {
  if (!isPlain(router, input)) return undefined;
  const route = resourceRoute(router, input, options);
  const ways = waysOfFew(route.meeting, input.principal.roles);
  const program = programAlong(route, ways);
  if (program === undefined) return undefined;
  const query = new Query(input, options.globals, context, program, false);
  const { only } = ways;
  return decisionOf(
    input,
    only === undefined ? decidePlainly(ways, route, query, input.actions) : decideOnly(only, route, query, input.actions),
    none,
  );
}

/** Of roles that meet one policy, and nothing else. */
function decideOnly(only: Step, route: Route, query: Query, actions: readonly string[]): ActionDecisions {
  const decided = listOf<ActionDecision>(actions.length);
  for (let at = 0; at < actions.length; at++)
    decided[at] = reportAt(route, only.at, ask(only, query, actions[at] ?? "")) ?? route.undecided;
  return new ActionDecisions(actions, decided);
}

/**
 * Whether the one action of an input is allowed, whatever else a caller would be told: makes a query, and nothing besides.
 * All in one place: an engine that takes it for too long to put where it is called has room in it for what it calls.
 */
export function allowsStraight(router: Router, context: EvaluationContext, input: CheckInput, options: CheckOptions): boolean | undefined {
  const { principal, resource, actions } = input;
  const { roles } = principal;
  const { length } = roles;
  const scope = resource.scope || options.defaultScope;
  if (
    options.schemas !== undefined ||
    options.strictEvaluation ||
    length > few ||
    actions.length !== 1 ||
    hasLeadingDot(scope) ||
    hasLeadingDot(principal.scope) ||
    (router.hasPrincipals && router.hasPolicy(principal.id))
  )
    return undefined;
  const last = router.resources;
  const route =
    last?.route !== undefined &&
    last.name === resource.kind &&
    last.scope === scope &&
    last.version === (resource.policyVersion || options.defaultPolicyVersion) &&
    last.lenient === options.lenientScopeSearch
      ? last.route
      : resourceRoute(router, input, options);
  const program = route.straight;
  if (program === undefined) return undefined;
  const { recent } = route.meeting;
  const role = roles[0];
  let ways: RoleWays | undefined;
  // As `waysOfFew` does, which compares those who have more than one.
  for (let at = 0; at < recent.length; at++) {
    const known = recent[at];
    if (known === undefined || known.first !== role || known.length !== length) continue;
    if (length === 1) ways = known;
    break;
  }
  ways ??= waysOfFew(route.meeting, roles);
  if (!ways.isPlain) return undefined;
  const query = new Query(input, options.globals, context, program, false);
  const action = actions[0] ?? "";
  const { only } = ways;
  if (only === undefined) return allowsByRoles(ways.ways, route, query, action);
  const { part, price, matched } = only;
  work(priceOfAction(price, action));
  return part !== undefined && part.decide(query, action, matched, part.first) === ALLOW;
}

const allowsByRoles = (ways: readonly Way[], route: Route, query: Query, action: string): boolean =>
  decideByRoles(ways, route, query, action).effect === "EFFECT_ALLOW";

/** The program that is asked, where nothing but what rows say can matter. */
const programAlong = ({ straight }: Route, ways: RoleWays): PricedUnit | undefined => (ways.isPlain ? straight : undefined);

/** Whether few roles ask, in scopes as they are called, and no policy of the principal's own counts. */
const isPlain = (router: Router, { principal, resource }: CheckInput): boolean =>
  principal.roles.length <= few &&
  ((principal.scope === undefined && resource.scope === undefined) || !haveDots(principal, resource)) &&
  !(router.hasPrincipals && router.hasPolicy(principal.id));

const haveDots = (principal: Principal, resource: Resource): boolean => hasLeadingDot(principal.scope) || hasLeadingDot(resource.scope);

const none: readonly never[] = Object.freeze([]);
