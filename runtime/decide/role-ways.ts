/**
 * Groups the roles of a request by the policies that apply to them: a thousand roles with the same policies share one
 * `Way`.
 */
import { work } from "../cel/work.ts";
import type { HeldRoles } from "./query.ts";
import type { Parents } from "./role-index.ts";
import type { Step, Visit, Way } from "./way.ts";

/** The ways of some roles. */
export interface RoleWays {
  readonly roles: readonly string[];
  /** First role and number of roles: enough to tell most lists apart. */
  readonly first: string | undefined;
  readonly length: number;
  readonly ways: readonly Way[];
  /**
   * Present only if several roles share a way and evaluating it twice could make a difference (outputs); otherwise
   * each way is listed once.
   */
  readonly order: RoleOrder | undefined;
  /** Whether all ways are quiet. */
  readonly isQuiet: boolean;
  /** Whether all ways are quiet and without role policies. */
  readonly isPlain: boolean;
  /** The only step of all ways together, if there is just one; roles without policies have none. */
  readonly only: Step | undefined;
  /** The roles held, including parents; computed on demand. */
  held: HeldRoles | undefined;
}

/** The cache of roles for a route, shared by routes whose policies have the same rows. */
export interface RoleCache {
  /** The way of a role; for principal policies, of a kind. */
  readonly wayOf: (name: string) => Way;
  /** The last few lists of roles and their ways; they usually recur. */
  recent: readonly RoleWays[];
  /** The visits of the first route that shares this cache. Those of the others have the same rows. */
  readonly visits: readonly Visit[];
}

/** The way of each role, where several roles share one. Ways are numbered in order of first use. */
export interface RoleOrder {
  /** For each role, the number of its way. */
  readonly met: readonly number[];
  /** For each way, the index of its first role. */
  readonly firsts: readonly number[];
}

/** More roles than this are looked up in a map instead of compared. */
export const mostComparedRoles = 8;

/** Finds the ways of roles on a route. */
export function roleWays(wayOf: (role: string) => Way, roles: readonly string[]): RoleWays {
  const all: Way[] = [];
  for (let at = 0; at < roles.length; at++) all.push(wayOf(roles[at] ?? ""));
  const ways = eachOnce(all);
  return ways.length === all.length || areQuiet(ways) ? inTurn(roles, ways) : inOrder(roles, all);
}

/** Builds a result whose ways are evaluated one after another. */
export const inTurn = (roles: readonly string[], ways: readonly Way[]): RoleWays => ({
  roles,
  first: roles[0],
  length: roles.length,
  ways,
  order: undefined,
  isQuiet: areQuiet(ways),
  isPlain: areQuiet(ways) && ways.every(({ steps }) => steps.every(({ narrowing }) => narrowing.length === 0)),
  only: onlyStep(ways),
  held: undefined,
});

/** The only step of all ways together, or undefined. */
function onlyStep(ways: readonly Way[]): Step | undefined {
  let only: Step | undefined;
  for (let at = 0; at < ways.length; at++) {
    const steps = ways[at]?.steps ?? none;
    if (steps.length === 0) continue;
    if (steps.length > 1 || only !== undefined) return undefined;
    only = steps[0];
  }
  return only;
}

function eachOnce(all: readonly Way[]): readonly Way[] {
  if (all.length > mostComparedRoles) {
    work(all.length * 4);
    return [...new Set(all)];
  }
  const ways: Way[] = [];
  for (let at = 0; at < all.length; at++) {
    const way = all[at];
    if (way !== undefined && !ways.includes(way)) ways.push(way);
  }
  return ways;
}

const areQuiet = (ways: readonly Way[]): boolean => ways.every(({ isQuiet }) => isQuiet);

const none: readonly Step[] = [];

function inOrder(roles: readonly string[], all: readonly Way[]): RoleWays {
  const found = new Map<Way, number>();
  const met: number[] = [];
  const firsts: number[] = [];
  for (const [role, way] of all.entries()) {
    const known = found.get(way);
    met.push(known ?? firsts.length);
    if (known !== undefined) continue;
    found.set(way, firsts.length);
    firsts.push(role);
  }
  return { ...inTurn(roles, [...found.keys()]), order: { met, firsts } };
}

/** The roles of a principal and their parents in a scope; computed on first use. */
export function heldRoles(roles: readonly string[], parents: Parents | undefined): HeldRoles {
  let all: ReadonlySet<string> | undefined;
  return Object.freeze({
    has(role: string) {
      all ??= collect(roles, parents);
      return all.has(role);
    },
  });
}

function collect(roles: readonly string[], parents: Parents | undefined): ReadonlySet<string> {
  const all = new Set(roles);
  work(roles.length * 4);
  if (parents === undefined) return all;
  for (const role of roles) {
    const narrowed = parents.of(role);
    work(narrowed.length * 4);
    for (const parent of narrowed) all.add(parent);
  }
  return all;
}
