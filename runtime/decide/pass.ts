/** Evaluates the policies of one type for one input, action by action. */
import { work } from "../cel/work.ts";
import type { Considered } from "./considered.ts";
import type { ActionDecision } from "./decision.ts";
import { fail, Hearing, type Inquiry, type ScopesSeen } from "./hearing.ts";
import { narrow, type Narrowed } from "./narrowing.ts";
import { priceOfAction } from "./price.ts";
import { inTurn, type RoleOrder, type RoleWays } from "./role-ways.ts";
import { reportAt, type Route } from "./route.ts";
import type { Step, Visit, Way } from "./way.ts";

/** The policies of one type, in evaluation for one input. */
export interface Pass extends ScopesSeen, Narrowed {
  readonly route: Route;
  readonly ways: RoleWays;
  readonly hearing: Hearing | undefined;
  activeRoles: (readonly string[])[] | undefined;
}

/** Starts resource and role policies: evaluated for each role of the principal, with derived roles. */
export function openResourcePass(inquiry: Inquiry, route: Route, ways: RoleWays): Pass {
  const pass = openPass(inquiry, route, ways);
  inquiry.seen = pass;
  return pass;
}

/** Starts principal policies: matched by resource kind, evaluated once whatever the roles. */
export const openPrincipalPass = (inquiry: Inquiry, route: Route, kind: string): Pass =>
  openPass(inquiry, route, inTurn(none, [route.meeting.wayOf(kind)]));

function openPass(inquiry: Inquiry, route: Route, ways: RoleWays): Pass {
  const hearing = route.unit === undefined ? undefined : new Hearing(route.unit, inquiry, route.program);
  return { inquiry, route, ways, hearing, activeRoles: undefined, narrowing: undefined, lastNarrowing: undefined };
}

/** Across roles ALLOW beats DENY. If no role is allowed, the decision of the first role that has one is returned. */
export function decideByRoles(pass: Pass, action: string): ActionDecision {
  const { undecided } = pass.route;
  const { ways, order } = pass.ways;
  if (order !== undefined) return decideInOrder(pass, action, order);
  let result = undecided;
  for (let at = 0; at < ways.length; at++) {
    const way = ways[at];
    if (way === undefined) break;
    const current = decideByScopes(pass, way, action);
    if (current.effect === "EFFECT_ALLOW" || pass.inquiry.failure !== undefined) return current;
    if (result === undecided) result = current;
  }
  return result;
}

/** The same if several roles share a way: a way that produced no outputs need not be evaluated again. */
function decideInOrder(pass: Pass, action: string, { met, firsts }: RoleOrder): ActionDecision {
  const { inquiry } = pass;
  const { undecided } = pass.route;
  const { ways } = pass.ways;
  const settled: boolean[] = ways.map(() => false);
  let [seen, open] = [0, 0];
  let result = undecided;
  // Skip roles whose ways are settled: half a million roles without anything new take one step.
  for (let role = 0; role < met.length; role = open > 0 ? role + 1 : (firsts[seen] ?? met.length)) {
    work(1);
    const at = met[role] ?? 0;
    const way = ways[at];
    if (way === undefined || settled[at] === true) continue;
    if (at === seen) {
      seen += 1;
      open += 1;
    }
    const told = inquiry.outputs?.length;
    const current = decideByScopes(pass, way, action);
    if (current.effect === "EFFECT_ALLOW" || inquiry.failure !== undefined) return current;
    if (result === undecided) result = current;
    if (inquiry.outputs?.length !== told) continue;
    settled[at] = true;
    open -= 1;
  }
  return result;
}

/**
 * Within one role and scope DENY beats ALLOW, and role policies come first. Across scopes the nearest that decides
 * wins.
 */
function decideByScopes(pass: Pass, { steps }: Way, action: string): ActionDecision {
  // Index loops here and in `decideByRoles`, because this is the hottest code of a decision.
  for (let at = 0; at < steps.length; at++) {
    const step = steps[at];
    if (step === undefined) break;
    const roles = pass.inquiry.listsRoles || step.readsDerivedRoles ? rolesSeenAt(pass, step.at) : none;
    if (step.narrowing.length > 0) {
      const denied = narrow(pass, step.narrowing, action, roles);
      if (denied !== undefined) return denied;
    }
    const { part, matched } = step;
    if (part === undefined || pass.hearing === undefined) continue;
    work(priceOfAction(step.price, action));
    if (pass.inquiry.considered !== undefined) consider(pass, pass.inquiry.considered, step, action);
    pass.hearing.query.effectiveDerivedRoles = roles;
    const effect = part.decide(pass.hearing.query, action, matched, part.first);
    if (pass.hearing.strict !== undefined) {
      const failed = pass.hearing.takeFailure();
      if (failed !== undefined) return fail(pass.inquiry, failed);
    }
    const decided = reportAt(pass.route, step.at, effect);
    if (decided !== undefined) return decided;
  }
  // A role without a decision has visited every scope.
  if (pass.inquiry.listsRoles) rolesSeenAt(pass, pass.route.visits.length - 1);
  return pass.route.undecided;
}

/** Records the policy of a step, if requested. */
function consider({ route }: Pass, considered: Considered, { at, matched }: Step, action: string): void {
  const policy = route.visits[at]?.policy;
  if (policy !== undefined) considered.byRows(policy, action, matched);
}

/** Returns the derived roles of a scope. Computes them for all scopes up to it, because scopes are visited in order. */
export function rolesSeenAt(pass: Pass, at: number): readonly string[] {
  const { route, inquiry } = pass;
  // Principal policies see no derived roles (D32).
  if (inquiry.seen !== pass) return none;
  const activeRoles = (pass.activeRoles ??= []);
  while (activeRoles.length <= at) activeRoles.push(rolesOf(pass, route.meeting.visits[activeRoles.length]));
  return activeRoles[at] ?? none;
}

function rolesOf({ hearing }: Pass, visit: Visit | undefined): readonly string[] {
  if (hearing === undefined || visit?.part === undefined || visit.policy === undefined) return none;
  const { part, policy } = visit;
  const { query, strict } = hearing;
  work(policy.terms.price.once);
  query.effectiveDerivedRoles = none;
  return strict === undefined ? part.derivedRoles(query, part.first) : strict.whileFindingRoles(() => part.derivedRoles(query, part.first));
}

const none: readonly string[] = Object.freeze([]);
