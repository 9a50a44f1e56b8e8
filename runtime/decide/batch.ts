/** State shared by the inputs of one call: the current time, and caches for the principal and its roles. */
import type { EvaluationContext } from "../cel/declare.ts";
import type { CallerErrors } from "./caller-errors.ts";
import type { CheckInput, CheckOptions, Principal } from "./input.ts";
import { wantsOnlyDecisions } from "./fast-path-plain.ts";
import type { HeldRoles } from "./query.ts";
import type { Parents } from "./role-index.ts";
import { maxComparedRoles, heldRoles, type RoleCache, rolePaths, type RolePaths } from "./role-paths.ts";
import { nowhere, type Route } from "./route.ts";
import type { Router } from "./router.ts";
import { recentRolePaths } from "./recent-role-paths.ts";

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
  readonly paths: Map<RoleCache, RolePaths>;
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

const memoryOf = (batch: Batch): Memory => (batch.memory ??= { paths: new Map(), held: new Map() });

/** The paths of the roles on a route. For many roles they are cached for the call. */
export function rolePathsIn(batch: Batch, route: Route, roles: readonly string[]): RolePaths {
  if (roles.length <= maxComparedRoles) return recentRolePaths(route.roleCache, roles);
  const { paths } = memoryOf(batch);
  const known = paths.get(route.roleCache);
  if (known?.roles === roles) return known;
  const found = rolePaths(route.roleCache.pathOf, roles);
  paths.set(route.roleCache, found);
  return found;
}

/** The roles that the principal holds on a route, including parents; undefined if the principal's own few roles are all. */
export function rolesHeldOn(batch: Batch, { parents }: Route, roles: readonly string[], paths: RolePaths): HeldRoles | undefined {
  // A route with parents does not share its paths with other routes, so they may hold the result.
  if (roles.length <= maxComparedRoles) return parents === undefined ? undefined : (paths.held ??= heldRoles(paths.roles, parents));
  const { held } = memoryOf(batch);
  const known = held.get(parents);
  if (known?.roles === roles) return known.found;
  const found = heldRoles(roles, parents);
  held.set(parents, { roles, found });
  return found;
}
