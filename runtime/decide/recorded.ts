/** The short way of a decision that is recorded: along plain ways nothing but rows decide, and what else is told follows from the scopes that were visited. */
import { work } from "../cel/work.ts";
import { ActionDecisions } from "./action-decisions.ts";
import type { ActionDecision } from "./decision.ts";
import { ALLOW, DENY } from "./effect.ts";
import type { Hearing } from "./hearing.ts";
import { listOf } from "./list-of.ts";
import { type Pass, rolesSeenAt } from "./pass.ts";
import { priceOfAction } from "./price.ts";
import type { Way } from "./way.ts";

/** A pass along plain ways, and how many of its scopes were visited so far. */
interface Walk {
  readonly pass: Pass;
  readonly hearing: Hearing;
  visited: number;
}

/**
 * What `pass.ts` decides where nobody has a policy of their own and all ways are plain: the pass then knows the derived roles, and
 * who was considered. Undefined where it has to be asked for more than that, or for less.
 */
export function decideRecorded(pass: Pass, principals: Pass | undefined): ActionDecisions | undefined {
  const { hearing, inquiry, ways } = pass;
  if (principals !== undefined || hearing === undefined || hearing.strict !== undefined) return undefined;
  if (!ways.isPlain || !inquiry.listsRoles) return undefined;
  const { actions } = inquiry.input;
  const walk: Walk = { pass, hearing, visited: 0 };
  const decided = listOf<ActionDecision>(actions.length);
  for (let at = 0; at < actions.length; at++) decided[at] = decideByRoles(walk, actions[at] ?? "");
  // Programs that read no derived roles need not wait for them.
  if (walk.visited > 0) rolesSeenAt(pass, walk.visited - 1);
  return new ActionDecisions(actions, decided);
}

/** Across roles ALLOW beats DENY; where no role is allowed, the first that was decided is reported. */
function decideByRoles(walk: Walk, action: string): ActionDecision {
  const { undecided } = walk.pass.route;
  const { ways } = walk.pass.ways;
  let result = undecided;
  for (let at = 0; at < ways.length; at++) {
    const way = ways[at];
    if (way === undefined) break;
    const current = decideAlong(walk, way, action) ?? undecided;
    if (current.effect === "EFFECT_ALLOW") return current;
    if (result === undecided) result = current;
  }
  return result;
}

/** The nearest scope that decides wins; a role to which nothing is said has been everywhere. */
function decideAlong(walk: Walk, { steps }: Way, action: string): ActionDecision | undefined {
  const { pass, hearing } = walk;
  const { visits } = pass.route;
  for (let at = 0; at < steps.length; at++) {
    const step = steps[at];
    const visit = step && visits[step.at];
    if (step?.part === undefined || visit?.policy === undefined) continue;
    if (walk.visited <= step.at) walk.visited = step.at + 1;
    work(priceOfAction(step.price, action));
    pass.inquiry.considered?.byRows(visit.policy, action, step.matched);
    const effect = step.part.decide(hearing.query, action, step.matched, step.part.first);
    if (effect === DENY) return visit.deny;
    if (effect === ALLOW) return visit.allow;
  }
  walk.visited = visits.length;
  return undefined;
}
