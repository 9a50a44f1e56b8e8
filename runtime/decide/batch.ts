/** What the inputs of one call share: the instant, and what was found out about the principal's roles. */
import type { EvaluationContext } from "../cel/declare.ts";
import type { HeldRoles } from "./query.ts";
import { heldRoles, roleWays, type RoleWays } from "./role-ways.ts";
import type { Route } from "./route.ts";
import type { Router } from "./router.ts";

/** One call. */
export interface Batch {
  readonly router: Router;
  readonly context: EvaluationContext;
  /** A batch asks about one principal many times over; a single input has nothing to remember. */
  readonly memory: Memory | undefined;
}

interface Memory {
  readonly ways: Map<Route, { readonly roles: readonly string[]; readonly found: RoleWays }>;
  readonly held: Map<string, { readonly roles: readonly string[]; readonly found: HeldRoles | undefined }>;
}

/** Opens a call about so many inputs. */
export const openBatch = (router: Router, context: EvaluationContext, inputs: number): Batch => ({
  router,
  context,
  memory: inputs === 1 ? undefined : { ways: new Map(), held: new Map() },
});

/** The ways of roles on a route. */
export function waysIn({ memory }: Batch, route: Route, roles: readonly string[]): RoleWays {
  const known = memory?.ways.get(route);
  if (known?.roles === roles) return known.found;
  const found = roleWays(route, roles);
  memory?.ways.set(route, { roles, found });
  return found;
}

/** The roles that a principal holds in a scope. */
export function rolesHeldIn({ memory, router }: Batch, roles: readonly string[], scope: string): HeldRoles | undefined {
  const known = memory?.held.get(scope);
  if (known?.roles === roles) return known.found;
  const found = heldRoles(roles, router.parentsIn(scope));
  memory?.held.set(scope, { roles, found });
  return found;
}
