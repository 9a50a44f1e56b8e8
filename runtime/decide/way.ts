/** What one role of a request meets on a route, scope by scope: found out once, whatever the actions. */
import { work } from "../cel/work.ts";
import type { ActionDecision } from "./decision.ts";
import type { Policy, Terms } from "./loaded-unit.ts";
import { either, matchesNone } from "./patterns.ts";
import { remembering } from "./remember.ts";
import type { Parents, RolesOfScope } from "./role-index.ts";
import { free, type Price } from "./price.ts";
import type { Matched, ScopePart } from "./unit.ts";

/** One scope on the way of a request. */
export interface Visit {
  readonly scope: string;
  /** Absent where only role policies stand. */
  readonly policy: Policy | undefined;
  readonly part: ScopePart | undefined;
  /** The role policies that stand here. */
  readonly roles: RolesOfScope | undefined;
  /** What is reported when this scope decides: the key of the leaf, the scope that decided (D39). */
  readonly allow: ActionDecision;
  readonly deny: ActionDecision;
}

/** What a role meets: only the scopes where something may be said to it. Roles that meet the same share one way. */
export interface Way {
  readonly steps: readonly Step[];
  /** Whether nothing but what rows say can matter, of role policies too: no derived roles or outputs. */
  readonly isQuiet: boolean;
}

/** What a role meets in one scope. */
export interface Step {
  /** Which visit of the route it is. */
  readonly at: number;
  /** The role policies that narrow what the role may do, in the order of the roles: asked first. */
  readonly narrowing: readonly Narrowing[];
  /** What the policy says, where one of its patterns matches. */
  readonly part: ScopePart | undefined;
  readonly matched: Matched;
  /** What asking it about an action costs. */
  readonly price: Price;
  /** Whether one of its rows is about an action; absent where there is no policy. */
  readonly considers: Terms["considers"] | undefined;
  /** Whether one of these policies may look at the derived roles that are active here. */
  readonly readsDerivedRoles: boolean;
  /** Whether none of these policies can tell the caller anything. */
  readonly isMute: boolean;
}

/** A role policy, for one kind. */
export interface Narrowing {
  readonly policy: Policy;
  /** Which of its kinds match; none of them denies everything. */
  readonly kinds: Matched;
  readonly deny: ActionDecision;
}

/** Ways of roles that only globs know, remembered for each route. */
const mostStrangers = 128;
const mostWays = 1024;

/** Opens the ways of roles on a route; `parents` are those of the requested scope (semantics 4.5). */
export function openWays(visits: readonly Visit[], parents: Parents | undefined, kind: string): (role: string) => Way {
  const shared = shareWays();
  const find = (role: string): Way => shared(stepsOf(visits, [role, ...(parents?.of(role) ?? [])], kind));
  const strangers = remembering(mostStrangers, find);
  const hasGlobs = visits.some(({ policy }) => policy?.terms.patterns.hasGlobs === true);
  // Only names that policies use are kept for good: a request cannot make it more.
  const named = new Map<string, Way>();
  let names: ReadonlySet<string> | undefined;
  let nobody: Way | undefined;
  return (role) => {
    const known = named.get(role);
    if (known !== undefined) return known;
    names ??= namesIn(visits, parents);
    if (names.has(role)) {
      const way = find(role);
      named.set(role, way);
      return way;
    }
    return hasGlobs ? strangers(role) : (nobody ??= find(role));
  };
}

/** Opens the ways of kinds through the policies of a principal. */
export function openKindWays(visits: readonly Visit[]): (kind: string) => Way {
  const shared = shareWays();
  return remembering(mostStrangers, (kind) => {
    work(visits.length * 8);
    return shared(
      visits.flatMap((visit, at) => {
        const matched = visit.policy?.terms.patterns.matching(kind) ?? 0;
        return matchesNone(matched) ? [] : [stepAt(at, visit, [], matched)];
      }),
    );
  });
}

function namesIn(visits: readonly Visit[], parents: Parents | undefined): ReadonlySet<string> {
  const names = new Set<string>(parents?.names);
  for (const { policy, roles } of visits) {
    if (policy !== undefined) for (const name of policy.terms.patterns.names) names.add(name);
    if (roles !== undefined) for (const name of roles.units.keys()) names.add(name);
  }
  work(names.size * 4);
  return names;
}

function stepsOf(visits: readonly Visit[], names: readonly string[], kind: string): readonly Step[] {
  work(visits.length * names.length * 8);
  return visits.flatMap((visit, at): readonly Step[] => {
    const { policy, roles, scope } = visit;
    const matched = policy === undefined ? 0 : names.map(policy.terms.patterns.matching).reduce(either);
    const narrowing = roles === undefined ? [] : names.flatMap((name) => narrowingBy(roles, name, scope, kind));
    // A role policy only narrows what its scope knows: the kind, for one of these roles (semantics 4.5, step 0).
    const known = !matchesNone(matched) || narrowing.some(({ kinds }) => !matchesNone(kinds));
    if (!known) return [];
    work(priceOfStep(matched));
    return [stepAt(at, visit, narrowing, matched)];
  });
}

/** Each is compared with those of other ways, in all its words. */
const priceOfStep = (matched: Matched): number => 48 + 16 * (typeof matched === "number" ? 1 : matched.length);

function stepAt(at: number, visit: Visit, narrowing: readonly Narrowing[], matched: Matched): Step {
  const asks = !matchesNone(matched);
  const terms = asks ? visit.policy?.terms : undefined;
  const part = asks ? visit.part : undefined;
  const readsDerivedRoles = terms?.readsDerivedRoles === true || narrowing.some((each) => each.policy.terms.readsDerivedRoles);
  return {
    at,
    narrowing,
    part,
    matched,
    price: terms?.price ?? free,
    considers: terms?.considers,
    readsDerivedRoles,
    isMute: terms?.tells !== true && narrowing.every((each) => !each.policy.terms.tells),
  };
}

function narrowingBy(roles: RolesOfScope, name: string, scope: string, kind: string): readonly Narrowing[] {
  const policy = roles.units.get(name)?.policyIn(scope);
  if (policy === undefined) return [];
  const deny = Object.freeze({ effect: "EFFECT_DENY", matchedPolicy: policy.says.key, matchedScope: scope } as const);
  return [{ policy, kinds: policy.terms.patterns.matching(kind), deny }];
}

/** Makes one way of equal steps, so that equal roles are asked once. */
function shareWays(): (steps: readonly Step[]) => Way {
  const ways = new Map<string, Way>();
  return (steps) => {
    // As JSON, because what policies are called may hold any character: no two lists may be written alike.
    const key = JSON.stringify(steps.map(({ at, matched, narrowing }) => [at, matched, narrowing.map(({ policy }) => policy.says.key)]));
    const known = ways.get(key) ?? { steps, isQuiet: steps.every(isQuiet) };
    if (ways.size >= mostWays) ways.clear();
    ways.set(key, known);
    return known;
  };
}

/** Whether nothing but what rows say can matter: no derived roles that somebody reads, or outputs. */
const isQuiet = ({ readsDerivedRoles, isMute }: Step): boolean => !readsDerivedRoles && isMute;
