/**
 * Groups the roles of a request by the policies that apply to them: a thousand roles with the same policies share one
 * `RolePath`.
 */
import { work } from "../cel/work.ts";
import type { HeldRoles } from "./query.ts";
import type { Parents } from "./role-index.ts";
import type { Step, Visit, RolePath } from "./role-path.ts";

/** The paths of some roles. */
export interface RolePaths {
  readonly roles: readonly string[];
  /** First role and number of roles: enough to tell most lists apart. */
  readonly first: string | undefined;
  readonly length: number;
  readonly paths: readonly RolePath[];
  /**
   * Present only if several roles share a path and evaluating it twice could make a difference (outputs); otherwise
   * each path is listed once.
   */
  readonly order: RoleOrder | undefined;
  /** Whether all paths are quiet. */
  readonly isQuiet: boolean;
  /** Whether all paths are quiet and without role policies. */
  readonly isPlain: boolean;
  /** The only step of all paths together, if there is just one; roles without policies have none. */
  readonly only: Step | undefined;
  /** The roles held, including parents; computed on demand. */
  held: HeldRoles | undefined;
}

/** The cache of roles for a route, shared by routes whose policies have the same rows. */
export interface RoleCache {
  /** The path of a role; for principal policies, of a kind. */
  readonly pathOf: (name: string) => RolePath;
  /** The last few lists of roles and their paths; they usually recur. */
  recent: readonly RolePaths[];
  /** The visits of the first route that shares this cache. Those of the others have the same rows. */
  readonly visits: readonly Visit[];
}

/** The path of each role, where several roles share one. Paths are numbered in order of first use. */
export interface RoleOrder {
  /** For each role, the number of its path. */
  readonly met: readonly number[];
  /** For each path, the index of its first role. */
  readonly firsts: readonly number[];
}

/** More roles than this are looked up in a map instead of compared. */
export const maxComparedRoles = 8;

/** Finds the paths of roles on a route. */
export function rolePaths(pathOf: (role: string) => RolePath, roles: readonly string[]): RolePaths {
  const all: RolePath[] = [];
  for (let at = 0; at < roles.length; at++) all.push(pathOf(roles[at] ?? ""));
  const paths = eachOnce(all);
  return paths.length === all.length || areQuiet(paths) ? uniquePaths(roles, paths) : inOrder(roles, all);
}

/** Builds a result whose paths are evaluated one after another. */
export const uniquePaths = (roles: readonly string[], paths: readonly RolePath[]): RolePaths => ({
  roles,
  first: roles[0],
  length: roles.length,
  paths,
  order: undefined,
  isQuiet: areQuiet(paths),
  isPlain: areQuiet(paths) && paths.every(({ steps }) => steps.every(({ restrictions }) => restrictions.length === 0)),
  only: onlyStep(paths),
  held: undefined,
});

/** The only step of all paths together, or undefined. */
function onlyStep(paths: readonly RolePath[]): Step | undefined {
  let only: Step | undefined;
  for (let at = 0; at < paths.length; at++) {
    const steps = paths[at]?.steps ?? none;
    if (steps.length === 0) continue;
    if (steps.length > 1 || only !== undefined) return undefined;
    only = steps[0];
  }
  return only;
}

function eachOnce(all: readonly RolePath[]): readonly RolePath[] {
  if (all.length > maxComparedRoles) {
    work(all.length * 4);
    return [...new Set(all)];
  }
  const paths: RolePath[] = [];
  for (let at = 0; at < all.length; at++) {
    const path = all[at];
    if (path !== undefined && !paths.includes(path)) paths.push(path);
  }
  return paths;
}

const areQuiet = (paths: readonly RolePath[]): boolean => paths.every(({ isQuiet }) => isQuiet);

const none: readonly Step[] = [];

function inOrder(roles: readonly string[], all: readonly RolePath[]): RolePaths {
  const found = new Map<RolePath, number>();
  const met: number[] = [];
  const firsts: number[] = [];
  for (const [role, path] of all.entries()) {
    const known = found.get(path);
    met.push(known ?? firsts.length);
    if (known !== undefined) continue;
    found.set(path, firsts.length);
    firsts.push(role);
  }
  return { ...uniquePaths(roles, [...found.keys()]), order: { met, firsts } };
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
    const parentsOfRole = parents.of(role);
    work(parentsOfRole.length * 4);
    for (const parent of parentsOfRole) all.add(parent);
  }
  return all;
}
