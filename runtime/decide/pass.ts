/** The policies of one type on the way of one input, asked action by action. */
import { work } from "../cel/work.ts";
import type { Considered } from "./considered.ts";
import type { ActionDecision } from "./decision.ts";
import { fail, Hearing, type Inquiry, type ScopesSeen } from "./hearing.ts";
import { narrow, type Narrowed } from "./narrowing.ts";
import { priceOfAction } from "./price.ts";
import { inTurn, type RoleOrder, type RoleWays } from "./role-ways.ts";
import { reportAt, type Route } from "./route.ts";
import type { Step, Visit, Way } from "./way.ts";

/** One type of policy, on the way of one input. */
export interface Pass extends ScopesSeen, Narrowed {
  readonly route: Route;
  readonly ways: RoleWays;
  readonly hearing: Hearing | undefined;
  activeRoles: (readonly string[])[] | undefined;
}

/** Opens the pass of resource and role policies: it goes by the principal's roles, and sees derived roles. */
export function openResourcePass(inquiry: Inquiry, route: Route, ways: RoleWays): Pass {
  const pass = openPass(inquiry, route, ways);
  inquiry.seen = pass;
  return pass;
}

/** Opens the pass of principal policies: they go by the kind, once whatever the roles. */
export const openPrincipalPass = (inquiry: Inquiry, route: Route, kind: string): Pass =>
  openPass(inquiry, route, inTurn(none, [route.meeting.wayOf(kind)]));

function openPass(inquiry: Inquiry, route: Route, ways: RoleWays): Pass {
  const hearing = route.unit === undefined ? undefined : new Hearing(route.unit, inquiry, route.program);
  return { inquiry, route, ways, hearing, activeRoles: undefined, narrowing: undefined, lastNarrowing: undefined };
}

/** Across roles ALLOW beats DENY; where no role is allowed, the first that was decided is reported. */
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

/** The same where several roles meet the same: once it was asked and told nothing, asking again changes nothing. */
function decideInOrder(pass: Pass, action: string, { met, firsts }: RoleOrder): ActionDecision {
  const { inquiry } = pass;
  const { undecided } = pass.route;
  const { ways } = pass.ways;
  const settled: boolean[] = ways.map(() => false);
  let [seen, open] = [0, 0];
  let result = undecided;
  // Half a million roles that have nothing new to tell are passed over at once.
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

/** Within one role and scope DENY beats ALLOW, and role policies come first; across scopes the nearest that decides wins. */
function decideByScopes(pass: Pass, { steps }: Way, action: string): ActionDecision {
  // Loops by index here and in `decideByRoles`: this is where a decision spends its time.
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
  // A role to which nothing is said has been everywhere.
  if (pass.inquiry.listsRoles) rolesSeenAt(pass, pass.route.visits.length - 1);
  return pass.route.undecided;
}

/** Notes the policy of a step for who wants to know which had a say. */
function consider({ route }: Pass, considered: Considered, { at, matched }: Step, action: string): void {
  const policy = route.visits[at]?.policy;
  if (policy !== undefined) considered.byRows(policy, action, matched);
}

/** The derived roles of a scope. Scopes are visited in order, so that those that were visited are the first ones. */
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
