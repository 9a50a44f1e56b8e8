/** Evaluates the policies of one type for one input, action by action. */
import { work } from "../cel/work.ts";
import type { EffectivePolicies } from "./effective-policies.ts";
import type { ActionDecision } from "./decision.ts";
import { fail, UnitEvaluation, type DecisionState, type ScopesSeen } from "./unit-evaluation.ts";
import { findRestrictionDenial, type RestrictionsEvaluated } from "./role-restrictions.ts";
import { priceOfAction } from "./price.ts";
import { uniquePaths, type RoleOrder, type RolePaths } from "./role-paths.ts";
import { reportAt, type Route } from "./route.ts";
import type { Step, Visit, RolePath } from "./role-path.ts";

/** The policies of one type, in evaluation for one input. */
export interface Pass extends ScopesSeen, RestrictionsEvaluated {
  readonly route: Route;
  readonly paths: RolePaths;
  readonly evaluation: UnitEvaluation | undefined;
  activeRoles: (readonly string[])[] | undefined;
}

/** Starts resource and role policies: evaluated for each role of the principal, with derived roles. */
export function openResourcePass(state: DecisionState, route: Route, paths: RolePaths): Pass {
  const pass = openPass(state, route, paths);
  state.seen = pass;
  return pass;
}

/** Starts principal policies: matched by resource kind, evaluated once whatever the roles. */
export const openPrincipalPass = (state: DecisionState, route: Route, kind: string): Pass =>
  openPass(state, route, uniquePaths(none, [route.roleCache.pathOf(kind)]));

function openPass(state: DecisionState, route: Route, paths: RolePaths): Pass {
  const evaluation = route.unit === undefined ? undefined : new UnitEvaluation(route.unit, state, route.program);
  return {
    state,
    route,
    paths,
    evaluation,
    activeRoles: undefined,
    restrictions: undefined,
    lastRestriction: undefined,
  };
}

/** Across roles ALLOW beats DENY. If no role is allowed, the decision of the first role that has one is returned. */
export function decideByRoles(pass: Pass, action: string): ActionDecision {
  const { undecided } = pass.route;
  const { paths, order } = pass.paths;
  if (order !== undefined) return decideInOrder(pass, action, order);
  let result = undecided;
  for (let at = 0; at < paths.length; at++) {
    const path = paths[at];
    if (path === undefined) break;
    const current = decideByScopes(pass, path, action);
    if (current.effect === "EFFECT_ALLOW" || pass.state.failure !== undefined) return current;
    if (result === undecided) result = current;
  }
  return result;
}

/** The same if several roles share a path: a path that produced no outputs need not be evaluated again. */
function decideInOrder(pass: Pass, action: string, { met, firsts }: RoleOrder): ActionDecision {
  const { state } = pass;
  const { undecided } = pass.route;
  const { paths } = pass.paths;
  const settled: boolean[] = paths.map(() => false);
  let [seen, open] = [0, 0];
  let result = undecided;
  // Skip roles whose paths are settled: half a million roles without anything new take one step.
  for (let role = 0; role < met.length; role = open > 0 ? role + 1 : (firsts[seen] ?? met.length)) {
    work(1);
    const at = met[role] ?? 0;
    const path = paths[at];
    if (path === undefined || settled[at] === true) continue;
    if (at === seen) {
      seen += 1;
      open += 1;
    }
    const outputsBefore = state.outputs?.length;
    const current = decideByScopes(pass, path, action);
    if (current.effect === "EFFECT_ALLOW" || state.failure !== undefined) return current;
    if (result === undecided) result = current;
    if (state.outputs?.length !== outputsBefore) continue;
    settled[at] = true;
    open -= 1;
  }
  return result;
}

/**
 * Within one role and scope DENY beats ALLOW, and role policies come first. Across scopes the nearest that decides
 * wins.
 */
function decideByScopes(pass: Pass, { steps }: RolePath, action: string): ActionDecision {
  // Index loops here and in `decideByRoles`, because this is the hottest code of a decision.
  for (let at = 0; at < steps.length; at++) {
    const step = steps[at];
    if (step === undefined) break;
    const roles = pass.state.listsRoles || step.readsDerivedRoles ? rolesSeenAt(pass, step.at) : none;
    if (step.restrictions.length > 0) {
      const denied = findRestrictionDenial(pass, step.restrictions, action, roles);
      if (denied !== undefined) return denied;
    }
    const { part, matched } = step;
    if (part === undefined || pass.evaluation === undefined) continue;
    work(priceOfAction(step.price, action));
    if (pass.state.effectivePolicies !== undefined) consider(pass, pass.state.effectivePolicies, step, action);
    pass.evaluation.query.effectiveDerivedRoles = roles;
    const effect = part.decide(pass.evaluation.query, action, matched, part.first);
    if (pass.evaluation.strict !== undefined) {
      const failed = pass.evaluation.takeFailure();
      if (failed !== undefined) return fail(pass.state, failed);
    }
    const decided = reportAt(pass.route, step.at, effect);
    if (decided !== undefined) return decided;
  }
  // A role without a decision has visited every scope.
  if (pass.state.listsRoles) rolesSeenAt(pass, pass.route.visits.length - 1);
  return pass.route.undecided;
}

/** Records the policy of a step, if requested. */
function consider({ route }: Pass, effectivePolicies: EffectivePolicies, { at, matched }: Step, action: string): void {
  const policy = route.visits[at]?.policy;
  if (policy !== undefined) effectivePolicies.consider(policy, action, matched);
}

/** Returns the derived roles of a scope. Computes them for all scopes up to it, because scopes are visited in order. */
export function rolesSeenAt(pass: Pass, at: number): readonly string[] {
  const { route, state } = pass;
  // Principal policies see no derived roles (D32).
  if (state.seen !== pass || at < 0) return none;
  const activeRoles = (pass.activeRoles ??= []);
  while (activeRoles.length <= at) activeRoles.push(rolesOf(pass, route.roleCache.visits[activeRoles.length]));
  return activeRoles[at] ?? none;
}

function rolesOf({ evaluation }: Pass, visit: Visit | undefined): readonly string[] {
  if (evaluation === undefined || visit?.part === undefined || visit.policy === undefined) return none;
  const { part, policy } = visit;
  const { query, strict } = evaluation;
  work(policy.content.price.once);
  query.effectiveDerivedRoles = none;
  return strict === undefined ? part.derivedRoles(query, part.first) : strict.findRoles(() => part.derivedRoles(query, part.first));
}

const none: readonly string[] = Object.freeze([]);
