/** The fastest path, for the most common inputs: evaluates only the rows and creates nothing but a query. */
import type { EvaluationContext } from "../cel/declare.ts";
import { work } from "../cel/work.ts";
import { ActionDecisions } from "./action-decisions.ts";
import { decisionOf, resourceRoute } from "./decide.ts";
import type { Decision } from "./decision.ts";
import { ALLOW } from "./effect.ts";
import type { CheckInput, CheckOptions, Principal, Resource } from "./input.ts";
import { evaluateStep, wantsOnlyDecisions, decideByRoles, decidePlainly } from "./fast-path-plain.ts";
import { priceOfAction } from "./price.ts";
import { Query } from "./query.ts";
import { maxComparedRoles, type RolePaths } from "./role-paths.ts";
import { reportAt, type Route } from "./route.ts";
import type { Router } from "./router.ts";
import { hasLeadingDot } from "./scopes.ts";
import type { PricedUnit } from "./unit.ts";
import type { Step, RolePath } from "./role-path.ts";
import { recentRolePaths } from "./recent-role-paths.ts";

/** Whether the options of a call allow this path. */
export const canTakeFastPath = (options: CheckOptions): boolean => options.schemas === undefined && wantsOnlyDecisions(options);

/** Decides an input; undefined if more than rows may matter. */
export function decideFast(router: Router, context: EvaluationContext, input: CheckInput, options: CheckOptions): Decision | undefined {
  if (!isPlain(router, input)) return undefined;
  const route = resourceRoute(router, input, options);
  const paths = recentRolePaths(route.roleCache, input.principal.roles);
  const program = programAlong(route, paths);
  if (program === undefined) return undefined;
  const query = new Query(input, options.globals, context, program, false);
  const { only } = paths;
  return decisionOf(
    input,
    only === undefined ? decidePlainly(paths, route, query, input.actions) : decideOnly(only, route, query, input.actions),
    none,
  );
}

/** Decides for roles to which only a single policy applies. */
function decideOnly(only: Step, route: Route, query: Query, actions: readonly string[]): ActionDecisions {
  const decided = actions.map((action) => reportAt(route, only.at, evaluateStep(only, query, action)) ?? route.undecided);
  return new ActionDecisions(actions, decided);
}

/**
 * Whether the single action of an input is allowed; undefined if more than rows may matter. All in one function: V8
 * does not inline a function of this size, but then has budget to inline its callees.
 */
export function allowsFast(router: Router, context: EvaluationContext, input: CheckInput, options: CheckOptions): boolean | undefined {
  const { principal, resource, actions } = input;
  const { roles } = principal;
  const { length } = roles;
  const scope = resource.scope || options.defaultScope;
  if (
    options.schemas !== undefined ||
    options.strictEvaluation ||
    length > maxComparedRoles ||
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
  const program = route.fastProgram;
  if (program === undefined) return undefined;
  const { recent } = route.roleCache;
  const role = roles[0];
  let paths: RolePaths | undefined;
  // Like `recentWays`, but without comparing lists of several roles.
  for (let at = 0; at < recent.length; at++) {
    const known = recent[at];
    if (known === undefined || known.first !== role || known.length !== length) continue;
    if (length === 1) paths = known;
    break;
  }
  paths ??= recentRolePaths(route.roleCache, roles);
  if (!paths.isPlain) return undefined;
  const query = new Query(input, options.globals, context, program, false);
  const action = actions[0] ?? "";
  const { only } = paths;
  if (only === undefined) return allowsByRoles(paths.paths, route, query, action);
  const { part, price, matched } = only;
  work(priceOfAction(price, action));
  return part !== undefined && part.decide(query, action, matched, part.first) === ALLOW;
}

const allowsByRoles = (paths: readonly RolePath[], route: Route, query: Query, action: string): boolean =>
  decideByRoles(paths, route, query, action).effect === "EFFECT_ALLOW";

/** The program, if nothing but rows can matter. */
const programAlong = ({ fastProgram }: Route, paths: RolePaths): PricedUnit | undefined => (paths.isPlain ? fastProgram : undefined);

/** Whether there are few roles, no scope with a leading dot, and no principal policy. */
const isPlain = (router: Router, { principal, resource }: CheckInput): boolean =>
  principal.roles.length <= maxComparedRoles &&
  ((principal.scope === undefined && resource.scope === undefined) || !haveDots(principal, resource)) &&
  !(router.hasPrincipals && router.hasPolicy(principal.id));

const haveDots = (principal: Principal, resource: Resource): boolean => hasLeadingDot(principal.scope) || hasLeadingDot(resource.scope);

const none: readonly never[] = Object.freeze([]);
