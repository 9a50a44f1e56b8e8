/** What the inputs of one call share: the instant, and what was found out about the principal and the principal's roles. */
import type { EvaluationContext } from "../cel/declare.ts";
import type { CallerErrors } from "./caller-errors.ts";
import type { CheckInput, CheckOptions, Principal } from "./input.ts";
import { asksPlainly } from "./plain.ts";
import type { HeldRoles } from "./query.ts";
import type { Parents } from "./role-index.ts";
import { few, heldRoles, type Meeting, roleWays, type RoleWays } from "./role-ways.ts";
import { nowhere, type Route } from "./route.ts";
import type { Router } from "./router.ts";
import { waysOfFew } from "./ways-of-few.ts";

/** One call. */
export interface Batch {
  readonly router: Router;
  readonly context: EvaluationContext;
  readonly options: CheckOptions;
  /** Whether the caller wants to know what was decided, and nothing else. */
  readonly isPlain: boolean;
  /** The principal of the last input, who is mostly that of the next one, and the route through policies of their own. */
  principal: Principal | undefined;
  personal: Route;
  /** What is worth remembering: of many roles, and of roles that narrow others. */
  memory: Memory | undefined;
  /** Errors that all inputs meet alike, where errors are named. */
  callersKnown: ((input: CheckInput) => CallerErrors) | undefined;
}

interface Memory {
  readonly ways: Map<Meeting, RoleWays>;
  readonly held: Map<Parents | undefined, { readonly roles: readonly string[]; readonly found: HeldRoles }>;
}

/** Opens a call. */
export const openBatch = (router: Router, context: EvaluationContext, options: CheckOptions): Batch => ({
  router,
  context,
  options,
  isPlain: asksPlainly(options),
  principal: undefined,
  personal: nowhere,
  memory: undefined,
  callersKnown: undefined,
});

const memoryOf = (batch: Batch): Memory => (batch.memory ??= { ways: new Map(), held: new Map() });

/** The ways of roles on a route: many are remembered for the call. */
export function waysIn(batch: Batch, route: Route, roles: readonly string[]): RoleWays {
  if (roles.length <= few) return waysOfFew(route.meeting, roles);
  const { ways } = memoryOf(batch);
  const known = ways.get(route.meeting);
  if (known?.roles === roles) return known;
  const found = roleWays(route.meeting.wayOf, roles);
  ways.set(route.meeting, found);
  return found;
}

/** The roles that a principal holds on a route, whose ways these are; undefined where a glance at the principal's own will do. */
export function rolesHeldOn(batch: Batch, { parents }: Route, roles: readonly string[], ways: RoleWays): HeldRoles | undefined {
  // Where there are parents, the route shares its ways with no other.
  if (roles.length <= few) return parents === undefined ? undefined : (ways.held ??= heldRoles(ways.roles, parents));
  const { held } = memoryOf(batch);
  const known = held.get(parents);
  if (known?.roles === roles) return known.found;
  const found = heldRoles(roles, parents);
  held.set(parents, { roles, found });
  return found;
}
