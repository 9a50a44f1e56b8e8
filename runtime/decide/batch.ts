/** State shared by the inputs of one call: the current time, and caches for the principal and its roles. */
import type { EvaluationContext } from "../cel/declare.ts";
import type { CallerErrors } from "./caller-errors.ts";
import type { CheckInput, CheckOptions, Principal } from "./input.ts";
import { wantsOnlyDecisions } from "./fast-path-plain.ts";
import type { HeldRoles } from "./query.ts";
import type { Parents } from "./role-index.ts";
import { mostComparedRoles, heldRoles, type RoleCache, roleWays, type RoleWays } from "./role-ways.ts";
import { nowhere, type Route } from "./route.ts";
import type { Router } from "./router.ts";
import { recentWays } from "./recent-ways.ts";

/** One call with several inputs. */
export interface Batch {
  readonly router: Router;
  readonly context: EvaluationContext;
  readonly options: CheckOptions;
  /** Whether the caller wants only the decisions (see `wantsOnlyDecisions`). */
  readonly isPlain: boolean;
  /**
   * The principal of the last input, which is usually also that of the next, and the route through its principal
   * policies.
   */
  principal: Principal | undefined;
  principalRoute: Route;
  /** Caches for many roles and for parent roles. */
  memory: Memory | undefined;
  /** Errors that depend on the caller alone, if errors are reported. */
  callerErrorsOf: ((input: CheckInput) => CallerErrors) | undefined;
}

interface Memory {
  readonly ways: Map<RoleCache, RoleWays>;
  readonly held: Map<Parents | undefined, { readonly roles: readonly string[]; readonly found: HeldRoles }>;
}

/** Starts a call. */
export const openBatch = (router: Router, context: EvaluationContext, options: CheckOptions): Batch => ({
  router,
  context,
  options,
  isPlain: wantsOnlyDecisions(options),
  principal: undefined,
  principalRoute: nowhere,
  memory: undefined,
  callerErrorsOf: undefined,
});

const memoryOf = (batch: Batch): Memory => (batch.memory ??= { ways: new Map(), held: new Map() });

/** The ways of the roles on a route. For many roles they are cached for the call. */
export function waysIn(batch: Batch, route: Route, roles: readonly string[]): RoleWays {
  if (roles.length <= mostComparedRoles) return recentWays(route.roleCache, roles);
  const { ways } = memoryOf(batch);
  const known = ways.get(route.roleCache);
  if (known?.roles === roles) return known;
  const found = roleWays(route.roleCache.wayOf, roles);
  ways.set(route.roleCache, found);
  return found;
}

/** The roles that the principal holds on a route, including parents; undefined if the principal's own few roles are all. */
export function rolesHeldOn(batch: Batch, { parents }: Route, roles: readonly string[], ways: RoleWays): HeldRoles | undefined {
  // A route with parents does not share its ways with other routes, so they may hold the result.
  if (roles.length <= mostComparedRoles) return parents === undefined ? undefined : (ways.held ??= heldRoles(ways.roles, parents));
  const { held } = memoryOf(batch);
  const known = held.get(parents);
  if (known?.roles === roles) return known.found;
  const found = heldRoles(roles, parents);
  held.set(parents, { roles, found });
  return found;
}
