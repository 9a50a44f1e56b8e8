/** Determines which policies of a route apply to one role, scope by scope; computed once, whatever the actions. */
import { work } from "../cel/work.ts";
import type { ActionDecision } from "./decision.ts";
import type { Policy, PolicyContent } from "./loaded-unit.ts";
import { either, matchesNone } from "./patterns.ts";
import { memoized } from "./memoize.ts";
import type { Parents, RolesOfScope } from "./role-index.ts";
import { free, type Price } from "./price.ts";
import type { Matched, ScopePart } from "./unit.ts";

/** One scope on a route. */
export interface Visit {
  readonly scope: string;
  /** Absent if only role policies are here. */
  readonly policy: Policy | undefined;
  readonly part: ScopePart | undefined;
  /** The role policies in this scope. */
  readonly roles: RolesOfScope | undefined;
  /** The decisions if this scope decides: policy key of the leaf, and this scope (D39). */
  readonly allow: ActionDecision;
  readonly deny: ActionDecision;
}

/** The policies of a route that apply to one role. Roles with the same policies share one path. */
export interface RolePath {
  readonly steps: readonly Step[];
  /** Whether nothing but rows can matter: no derived roles are read and no outputs produced, by role policies neither. */
  readonly isQuiet: boolean;
}

/** The policies of one scope that apply to a role. */
export interface Step {
  /** Index of the visit on the route. */
  readonly at: number;
  /** The role policies that restrict the role, in the order of the roles; evaluated first. */
  readonly restrictions: readonly RoleRestriction[];
  /** The resource or principal policy, if one of its patterns matches. */
  readonly part: ScopePart | undefined;
  readonly matched: Matched;
  /** The cost of evaluating it for an action. */
  readonly price: Price;
  /** Whether one of its rows applies to an action; absent if there is no policy. */
  readonly applies: PolicyContent["applies"] | undefined;
  /** Whether one of these policies may read the derived roles of this scope. */
  readonly readsDerivedRoles: boolean;
  /** Whether one of these policies may produce outputs. */
  readonly hasOutputs: boolean;
}

/** A role policy, with its patterns that match the kind. */
export interface RoleRestriction {
  readonly policy: Policy;
  /** If none matches, the policy denies everything. */
  readonly kinds: Matched;
  readonly deny: ActionDecision;
}

/** Bounds of the caches: paths of roles that only globs match, for each route; and shared paths. */
const maxUnnamed = 128;
const maxPaths = 1024;

/**
 * Returns a function that finds the path of a role on a route; `parents` are those of the requested scope (semantics
 * 4.5).
 */
export function openRolePaths(visits: readonly Visit[], parents: Parents | undefined, kind: string): (role: string) => RolePath {
  const shared = sharePaths();
  const find = (role: string): RolePath => shared(stepsOf(visits, [role, ...(parents?.of(role) ?? [])], kind));
  const strangers = memoized(maxUnnamed, find);
  const hasGlobs = visits.some(({ policy }) => policy?.content.patterns.hasGlobs === true);
  // Only names that policies use are cached permanently, so that requests cannot fill the cache.
  const named = new Map<string, RolePath>();
  let names: ReadonlySet<string> | undefined;
  let nobody: RolePath | undefined;
  return (role) => {
    const known = named.get(role);
    if (known !== undefined) return known;
    names ??= namesIn(visits, parents);
    if (names.has(role)) {
      const path = find(role);
      named.set(role, path);
      return path;
    }
    return hasGlobs ? strangers(role) : (nobody ??= find(role));
  };
}

/** Returns a function that finds the path of a kind through principal policies. */
export function openKindPaths(visits: readonly Visit[]): (kind: string) => RolePath {
  const shared = sharePaths();
  return memoized(maxUnnamed, (kind) => {
    work(visits.length * 8);
    return shared(
      visits.flatMap((visit, at) => {
        const matched = visit.policy?.content.patterns.matching(kind) ?? 0;
        return matchesNone(matched) ? [] : [stepAt(at, visit, [], matched)];
      }),
    );
  });
}

function namesIn(visits: readonly Visit[], parents: Parents | undefined): ReadonlySet<string> {
  const names = new Set<string>(parents?.names);
  for (const { policy, roles } of visits) {
    if (policy !== undefined) for (const name of policy.content.patterns.names) names.add(name);
    if (roles !== undefined) for (const name of roles.units.keys()) names.add(name);
  }
  work(names.size * 4);
  return names;
}

function stepsOf(visits: readonly Visit[], names: readonly string[], kind: string): readonly Step[] {
  work(visits.length * names.length * 8);
  return visits.flatMap((visit, at): readonly Step[] => {
    const { policy, roles, scope } = visit;
    const matched = policy === undefined ? 0 : names.map(policy.content.patterns.matching).reduce(either);
    const restrictions = roles === undefined ? [] : names.flatMap((name) => restrictionsOf(roles, name, scope, kind));
    // A role policy restricts only what its scope knows: a kind with a rule for one of these roles (semantics 4.5,
    // step 0).
    const known = !matchesNone(matched) || restrictions.some(({ kinds }) => !matchesNone(kinds));
    if (!known) return [];
    work(priceOfStep(matched));
    return [stepAt(at, visit, restrictions, matched)];
  });
}

/** Accounts for comparing each step with those of other paths, word by word. */
const priceOfStep = (matched: Matched): number => 48 + 16 * (typeof matched === "number" ? 1 : matched.length);

function stepAt(at: number, visit: Visit, restrictions: readonly RoleRestriction[], matched: Matched): Step {
  const asks = !matchesNone(matched);
  const content = asks ? visit.policy?.content : undefined;
  const part = asks ? visit.part : undefined;
  const readsDerivedRoles = content?.readsDerivedRoles === true || restrictions.some((each) => each.policy.content.readsDerivedRoles);
  return {
    at,
    restrictions,
    part,
    matched,
    price: content?.price ?? free,
    applies: content?.applies,
    readsDerivedRoles,
    hasOutputs: content?.hasOutputs === true || restrictions.some((each) => each.policy.content.hasOutputs),
  };
}

function restrictionsOf(roles: RolesOfScope, name: string, scope: string, kind: string): readonly RoleRestriction[] {
  const policy = roles.units.get(name)?.policyIn(scope);
  if (policy === undefined) return [];
  const deny = Object.freeze({ effect: "EFFECT_DENY", matchedPolicy: policy.bundled.key, matchedScope: scope } as const);
  return [{ policy, kinds: policy.content.patterns.matching(kind), deny }];
}

/** Returns one object for equal lists of steps, so that roles with the same policies are evaluated once. */
function sharePaths(): (steps: readonly Step[]) => RolePath {
  const paths = new Map<string, RolePath>();
  return (steps) => {
    // Policy keys may contain any character, so JSON is used to make the cache key unambiguous.
    const key = JSON.stringify(
      steps.map(({ at, matched, restrictions }) => [at, matched, restrictions.map(({ policy }) => policy.bundled.key)]),
    );
    const known = paths.get(key) ?? { steps, isQuiet: steps.every(isQuiet) };
    if (paths.size >= maxPaths) paths.clear();
    paths.set(key, known);
    return known;
  };
}

/** Whether nothing but rows can matter in this step. */
const isQuiet = ({ readsDerivedRoles, hasOutputs }: Step): boolean => !readsDerivedRoles && !hasOutputs;
