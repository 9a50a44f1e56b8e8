/**
 * A fast path for decisions that are recorded: on plain paths only the rows decide, and everything else follows from
 * the scopes visited.
 */
import { work } from "../cel/work.ts";
import { type PathDecider, decideAcross } from "./across-roles.ts";
import { ActionDecisions } from "./action-decisions.ts";
import { activeRolesOf } from "./active-roles.ts";
import type { Batch } from "./batch.ts";
import { NONE } from "./effect.ts";
import type { CallerErrors } from "./caller-errors.ts";
import type { ActionDecision, Decision } from "./decision.ts";
import { errorsOfUnit, type EvaluatedUnit } from "./evaluation-errors.ts";
import { noRoles } from "../emitted/roles.ts";
import type { CheckInput } from "./input.ts";
import type { LoadedUnit } from "./loaded-unit.ts";
import { priceOfAction } from "./price.ts";
import { environmentOf, openQuery } from "./open-query.ts";
import type { HeldRoles, Query } from "./query.ts";
import { type InterpreterContext, openInterpreterContext } from "./questions.ts";
import type { RolePaths } from "./role-paths.ts";
import { maxVisits, openRouteRecord, policiesOn, falliblePartsOn } from "./route-record.ts";
import { reportAt, type Route } from "./route.ts";
import type { RolePath, Visit } from "./role-path.ts";

/**
 * Decides an input without principal policies along plain paths; the result is that of `pass.ts`. Undefined if the
 * preconditions do not hold.
 */
export function decideRecorded(
  batch: Batch,
  input: CheckInput,
  route: Route,
  { paths, isPlain }: RolePaths,
  held: HeldRoles | undefined,
  validationErrors: Decision["validationErrors"],
): Decision | undefined {
  const { options, context, callerErrorsOf } = batch;
  const { unit, program, visits } = route;
  if (!isPlain || options.strictEvaluation || unit === undefined || program === undefined || visits.length > maxVisits) return undefined;
  const query = openQuery(input, options.globals, context, environmentOf(program, held));
  const walk = new Walk(unit, route, query, input, batch);
  const { actions } = input;
  const decided = actions.map((action) => decideAcross(walk, paths, action));
  const record = (route.record ??= openRouteRecord());
  // Computed after the decision, because no program on a plain path reads derived roles. Errors also occur while they
  // are computed.
  if (options.effectiveDerivedRoles !== false || options.evaluationErrors) walk.findRoles();
  return {
    requestId: input.requestId ?? "",
    resourceId: input.resource.id,
    actions: new ActionDecisions(actions, decided),
    effectiveDerivedRoles: activeRolesOf(walk.roles),
    outputs: none,
    validationErrors,
    evaluationErrors: callerErrorsOf === undefined ? none : errorsOfUnit(walk, callerErrorsOf(input), falliblePartsOn(record, unit)),
    effectivePolicies: options.effectivePolicies ? policiesOn(record, visits, walk.effective) : noPolicies,
  };
}

const none: readonly never[] = Object.freeze([]);
const noPolicies: Decision["effectivePolicies"] = new Map();

/** One input along plain paths, and how far its scopes were visited. */
class Walk implements PathDecider, EvaluatedUnit {
  declare readonly unit: LoadedUnit;
  declare readonly route: Route;
  declare readonly query: Query;
  declare readonly input: CheckInput;
  declare readonly batch: Batch;
  /** The visits whose policies took part, one bit each. */
  declare effective: number;
  declare visited: number;
  /** The derived roles of the visited scopes. */
  declare roles: (readonly string[])[] | undefined;

  constructor(unit: LoadedUnit, route: Route, query: Query, input: CheckInput, batch: Batch) {
    this.unit = unit;
    this.route = route;
    this.query = query;
    this.input = input;
    this.batch = batch;
    // If policies are not requested, mark all as known, which saves the work of testing their rows.
    this.effective = batch.options.effectivePolicies ? 0 : -1;
    this.visited = 0;
    this.roles = undefined;
  }

  /** The nearest scope that decides wins. A role without a decision has visited every scope. */
  decideAlong({ steps }: RolePath, action: string): ActionDecision | undefined {
    const { query, route } = this;
    for (let at = 0; at < steps.length; at++) {
      const step = steps[at];
      if (step?.part === undefined) continue;
      if (this.visited <= step.at) this.visited = step.at + 1;
      work(priceOfAction(step.price, action));
      const effect = step.part.decide(query, action, step.matched, step.part.first);
      const bit = 1 << step.at;
      // A row that decided also applies, which is cheaper to see than to look for.
      if ((this.effective & bit) === 0 && (effect !== NONE || step.applies?.(action, step.matched) === true)) this.effective |= bit;
      const decided = reportAt(route, step.at, effect);
      if (decided !== undefined) return decided;
    }
    this.visited = route.visits.length;
    return undefined;
  }

  /** Computes the derived roles of the visited scopes. */
  findRoles(): void {
    if (this.visited === 0) return;
    const { visits } = this.route.roleCache;
    const roles: (readonly string[])[] = [];
    for (let at = 0; at < this.visited; at++) roles.push(this.rolesAt(visits[at]));
    this.roles = roles;
  }

  private rolesAt(visit: Visit | undefined): readonly string[] {
    if (visit?.part === undefined || visit.policy === undefined) return none;
    const { part, policy } = visit;
    work(policy.content.price.once);
    return part.derivedRoles === noRoles ? none : part.derivedRoles(this.query, part.first);
  }

  interpreterContext(callers: CallerErrors): InterpreterContext {
    const { unit, input, batch } = this;
    const what = {
      trees: unit.trees(),
      input,
      globals: batch.options.globals,
      context: batch.context,
      strict: false,
      effectiveDerivedRoles: (policy: number) => this.rolesOf(policy),
    };
    return openInterpreterContext(what, callers);
  }

  private rolesOf(policy: number): readonly string[] {
    const at = this.route.visits.findIndex((visit) => visit.policy?.index === policy);
    return this.roles?.[at] ?? none;
  }
}
