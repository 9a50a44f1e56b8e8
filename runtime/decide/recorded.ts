/** The short way of a decision that is recorded: along plain ways nothing but rows decide, and what else is told follows from the scopes that were visited. */
import { work } from "../cel/work.ts";
import { ActionDecisions } from "./action-decisions.ts";
import { activeRolesOf } from "./active-roles.ts";
import type { Batch } from "./batch.ts";
import type { CallerErrors } from "./caller-errors.ts";
import { Considered } from "./considered.ts";
import type { ActionDecision, Decision } from "./decision.ts";
import { ALLOW, DENY } from "./effect.ts";
import { errorsMet, type Heard } from "./evaluation-errors.ts";
import type { CheckInput } from "./input.ts";
import { listOf } from "./list-of.ts";
import type { LoadedUnit } from "./loaded-unit.ts";
import { priceOfAction } from "./price.ts";
import { type HeldRoles, Query } from "./query.ts";
import { type Case, openCase } from "./questions.ts";
import type { RoleWays } from "./role-ways.ts";
import type { Route } from "./route.ts";
import type { Way } from "./way.ts";

/** What `pass.ts` decides where nobody has a policy of their own and all ways are plain. Undefined where it has to be asked. */
export function decideRecorded(
  batch: Batch,
  input: CheckInput,
  route: Route,
  { ways, isPlain }: RoleWays,
  held: HeldRoles | undefined,
  validationErrors: Decision["validationErrors"],
): Decision | undefined {
  const { options, context, callersKnown } = batch;
  const { unit, program } = route;
  if (!isPlain || options.strictEvaluation || unit === undefined || program === undefined) return undefined;
  const query = new Query(input, options.globals, context, held, program);
  const walk = new Walk(unit, route, query, input, batch);
  const { actions } = input;
  const decided = listOf<ActionDecision>(actions.length);
  for (let at = 0; at < actions.length; at++) decided[at] = walk.decide(ways, actions[at] ?? "");
  // Programs that read no derived roles need not wait for them; errors, too, are met while roles are found out.
  if (options.effectiveDerivedRoles !== false || options.evaluationErrors) walk.findRoles();
  return {
    requestId: input.requestId ?? "",
    resourceId: input.resource.id,
    actions: new ActionDecisions(actions, decided),
    effectiveDerivedRoles: activeRolesOf(walk.roles),
    outputs: none,
    validationErrors,
    evaluationErrors: callersKnown === undefined ? none : errorsMet(walk, callersKnown(input)),
    effectivePolicies: walk.considered?.all() ?? noPolicies,
  };
}

const none: readonly never[] = Object.freeze([]);
const noPolicies: Decision["effectivePolicies"] = new Map();

/** One input along plain ways, and how many of its scopes were visited so far. */
class Walk implements Heard {
  declare readonly unit: LoadedUnit;
  declare readonly route: Route;
  declare readonly query: Query;
  declare readonly input: CheckInput;
  declare readonly batch: Batch;
  declare readonly considered: Considered | undefined;
  declare visited: number;
  /** The derived roles of the scopes that were visited. */
  declare roles: (readonly string[])[] | undefined;

  constructor(unit: LoadedUnit, route: Route, query: Query, input: CheckInput, batch: Batch) {
    this.unit = unit;
    this.route = route;
    this.query = query;
    this.input = input;
    this.batch = batch;
    this.considered = batch.options.effectivePolicies ? new Considered() : undefined;
    this.visited = 0;
    this.roles = undefined;
  }

  /** Across roles ALLOW beats DENY; where no role is allowed, the first that was decided is reported. */
  decide(ways: readonly Way[], action: string): ActionDecision {
    const { undecided } = this.route;
    let result = undecided;
    for (let at = 0; at < ways.length; at++) {
      const way = ways[at];
      if (way === undefined) break;
      const current = this.decideAlong(way, action) ?? undecided;
      if (current.effect === "EFFECT_ALLOW") return current;
      if (result === undecided) result = current;
    }
    return result;
  }

  /** The nearest scope that decides wins; a role to which nothing is said has been everywhere. */
  private decideAlong({ steps }: Way, action: string): ActionDecision | undefined {
    const { visits } = this.route;
    for (let at = 0; at < steps.length; at++) {
      const step = steps[at];
      const visit = step && visits[step.at];
      if (step?.part === undefined || visit?.policy === undefined) continue;
      if (this.visited <= step.at) this.visited = step.at + 1;
      work(priceOfAction(step.price, action));
      this.considered?.byRows(visit.policy, action, step.matched);
      const effect = step.part.decide(this.query, action, step.matched, step.part.first);
      if (effect === DENY) return visit.deny;
      if (effect === ALLOW) return visit.allow;
    }
    this.visited = visits.length;
    return undefined;
  }

  /** Finds out the derived roles of the scopes that were visited. */
  findRoles(): void {
    if (this.visited === 0) return;
    const { visits } = this.route;
    const roles = listOf<readonly string[]>(this.visited);
    for (let at = 0; at < roles.length; at++) {
      const visit = visits[at];
      roles[at] = none;
      if (visit?.part === undefined || visit.policy === undefined) continue;
      work(visit.policy.terms.price.once);
      roles[at] = visit.part.derivedRoles(this.query, visit.part.first);
    }
    this.roles = roles;
  }

  case(callers: CallerErrors): Case {
    const { unit, input, batch } = this;
    const what = {
      trees: unit.trees(),
      input,
      globals: batch.options.globals,
      context: batch.context,
      strict: false,
      effectiveDerivedRoles: (policy: number) => this.rolesOf(policy),
    };
    return openCase(what, callers);
  }

  private rolesOf(policy: number): readonly string[] {
    const at = this.route.visits.findIndex((visit) => visit.policy?.index === policy);
    return this.roles?.[at] ?? none;
  }
}
