/** The roles of a request, as the ways that they meet on a route: a thousand roles that meet the same are one way. */
import { work } from "../cel/work.ts";
import type { HeldRoles } from "./query.ts";
import type { Parents } from "./role-index.ts";
import type { Step, Visit, Way } from "./way.ts";

/** The ways of some roles, in the order of the roles. */
export interface RoleWays {
  readonly roles: readonly string[];
  /** The first of them, and how many there are: by that, most lists are told apart. */
  readonly first: string | undefined;
  readonly length: number;
  readonly ways: readonly Way[];
  /** Absent where no two roles meet the same, or where asking twice would not show: plain ways stand here once. */
  readonly order: RoleOrder | undefined;
  /** Whether all of them are quiet. */
  readonly isQuiet: boolean;
  /** The same, and no role policies stand on them. */
  readonly isPlain: boolean;
  /** All that they meet, where that is one policy: roles that nobody speaks of meet nothing. */
  readonly only: Step | undefined;
  /** The roles with those that they narrow, once somebody has looked for them. */
  held: HeldRoles | undefined;
}

/** What roles meet on a route; routes through policies that say the same share it. */
export interface Meeting {
  /** What a role meets; in principal policies, what a kind does. */
  readonly wayOf: (name: string) => Way;
  /** The few lists of roles that came last, and what they meet: mostly the same come again. */
  recent: readonly RoleWays[];
  /** Those of the route that met it first: what their policies say, those of the others say too. */
  readonly visits: readonly Visit[];
}

/** Roles of which some meet the same. Ways are numbered as they are met first. */
export interface RoleOrder {
  /** Which way each role meets. */
  readonly met: readonly number[];
  /** The first role that meets each way. */
  readonly firsts: readonly number[];
}

/** Above so many roles they are looked up, not compared. */
export const few = 8;

/** Finds the ways of roles on a route. */
export function roleWays(wayOf: (role: string) => Way, roles: readonly string[]): RoleWays {
  const all: Way[] = [];
  for (let at = 0; at < roles.length; at++) all.push(wayOf(roles[at] ?? ""));
  const ways = eachOnce(all);
  return ways.length === all.length || areQuiet(ways) ? inTurn(roles, ways) : inOrder(roles, all);
}

/** Ways that are asked one after the other. */
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

/** The one step of all ways together. */
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
  if (all.length > few) {
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

/** The roles of a principal and those that they narrow in a scope. */
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
