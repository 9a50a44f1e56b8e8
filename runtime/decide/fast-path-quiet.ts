/**
 * A fast path for policies without outputs, role policies included, if only decisions are wanted: creates a query for
 * each unit and nothing else.
 */
import { work } from "../cel/work.ts";
import { type PathDecider, decideAcross } from "./across-roles.ts";
import { ActionDecisions } from "./action-decisions.ts";
import type { Batch } from "./batch.ts";
import type { ActionDecision } from "./decision.ts";
import { DENY } from "./effect.ts";
import type { CheckInput } from "./input.ts";
import type { LoadedUnit } from "./loaded-unit.ts";
import { environmentOf, openQuery } from "./open-query.ts";
import { matchesNone } from "./patterns.ts";
import { evaluateStep, decidePlainly } from "./fast-path-plain.ts";
import { priceOfAction } from "./price.ts";
import type { HeldRoles, Query } from "./query.ts";
import type { RolePaths } from "./role-paths.ts";
import { reportAt, type Route } from "./route.ts";
import type { PricedUnit } from "./unit.ts";
import type { RoleRestriction, RolePath } from "./role-path.ts";

/** Decides along quiet paths; the result is that of `pass.ts`. */
export function decideQuietly(
  batch: Batch,
  input: CheckInput,
  route: Route,
  program: PricedUnit,
  paths: RolePaths,
  held: HeldRoles | undefined,
): ActionDecisions {
  const query = openQuery(input, batch.options.globals, batch.context, environmentOf(program, held));
  if (paths.isPlain) return decidePlainly(paths, route, query, input.actions);
  const walk = new Walk(batch, input, route, query);
  const { actions } = input;
  const decided = actions.map((action) => decideAcross(walk, paths.paths, action));
  return new ActionDecisions(actions, decided);
}

/** One input, and the queries of the role policies evaluated for it. */
class Walk implements PathDecider {
  declare private readonly batch: Batch;
  declare private readonly input: CheckInput;
  declare readonly route: Route;
  declare private readonly query: Query;
  // The first two units are in fields: most inputs involve the policy of one role, perhaps also of its parent.
  declare private firstUnit: LoadedUnit | undefined;
  declare private firstQuery: Query | undefined;
  declare private secondUnit: LoadedUnit | undefined;
  declare private secondQuery: Query | undefined;
  declare private queries: Map<LoadedUnit, Query> | undefined;

  constructor(batch: Batch, input: CheckInput, route: Route, query: Query) {
    this.batch = batch;
    this.input = input;
    this.route = route;
    this.query = query;
    this.firstUnit = undefined;
    this.firstQuery = undefined;
    this.secondUnit = undefined;
    this.secondQuery = undefined;
    this.queries = undefined;
  }

  /** Within one scope role policies come first. The nearest scope that decides wins. */
  decideAlong({ steps }: RolePath, action: string): ActionDecision | undefined {
    for (let at = 0; at < steps.length; at++) {
      const step = steps[at];
      if (step === undefined) break;
      const decided = this.findDenial(step.restrictions, action) ?? reportAt(this.route, step.at, evaluateStep(step, this.query, action));
      if (decided !== undefined) return decided;
    }
    return undefined;
  }

  /** Returns the denial of a role policy; undefined if none denies. */
  private findDenial(restrictions: readonly RoleRestriction[], action: string): ActionDecision | undefined {
    for (let at = 0; at < restrictions.length; at++) {
      const each = restrictions[at];
      if (each === undefined) break;
      const { policy, kinds, deny } = each;
      // It lists no rule for this kind, so it denies without being run.
      if (matchesNone(kinds)) return deny;
      work(priceOfAction(policy.content.price, action));
      const part = policy.content.part();
      if (part.decide(this.queryFor(policy.unit), action, kinds, part.first) === DENY) return deny;
    }
    return undefined;
  }

  private queryFor(unit: LoadedUnit): Query {
    if (this.firstUnit === unit && this.firstQuery !== undefined) return this.firstQuery;
    if (this.secondUnit === unit && this.secondQuery !== undefined) return this.secondQuery;
    return this.queries?.get(unit) ?? this.open(unit);
  }

  private open(unit: LoadedUnit): Query {
    const { input, batch } = this;
    // Only derived roles read the roles held, and role policies have none.
    const query = openQuery(input, batch.options.globals, batch.context, unit.program());
    if (this.firstUnit === undefined) [this.firstUnit, this.firstQuery] = [unit, query];
    else if (this.secondUnit === undefined) [this.secondUnit, this.secondQuery] = [unit, query];
    else (this.queries ??= new Map()).set(unit, query);
    return query;
  }
}
