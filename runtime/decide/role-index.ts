/** Indexes role policies: which roles have policies in which scopes, and their parent roles. */
import { matchesNone, openKindPatterns } from "./patterns.ts";
import type { LoadedUnit } from "./loaded-unit.ts";

/** The role policies of a set. */
export interface RoleIndex {
  readonly units: readonly LoadedUnit[];
  /** The role policies with rules of a version and scope. */
  readonly at: (version: string, scope: string) => RolesOfScope | undefined;
  /** The parent roles in a scope; versions do not matter (semantics 4.1). */
  readonly parentsIn: (scope: string) => Parents | undefined;
}

/** Role policies of one version and scope. */
export interface RolesOfScope {
  /** By role name as written. */
  readonly units: ReadonlyMap<string, LoadedUnit>;
  /** Whether one of them has a rule for a kind. */
  readonly speakOf: (kind: string) => boolean;
}

/** The parent roles in one scope. */
export interface Parents {
  /** Returns the parents of a role, and theirs, without the role itself. */
  readonly of: (role: string) => readonly string[];
  /** The roles that have parents. */
  readonly names: Iterable<string>;
}

/** Indexes the units of role policies. */
export function indexRoles(units: readonly LoadedUnit[]): RoleIndex {
  const byVersion = new Map<string, Map<string, Map<string, LoadedUnit>>>();
  const parents = new Map<string, Map<string, string[]>>();
  for (const unit of units) {
    for (const { scope, rows, parentRoles = [] } of unit.scopes) {
      if (rows.length > 0) inner(inner(byVersion, unit.version), scope).set(unit.writtenName, unit);
      if (parentRoles.length > 0) {
        const known = inner(parents, scope);
        known.set(unit.writtenName, [...(known.get(unit.writtenName) ?? []), ...parentRoles]);
      }
    }
  }
  const opened = new Map<ReadonlyMap<string, LoadedUnit>, RolesOfScope>();
  const closed = new Map<string, Parents>();
  return {
    units,
    at(version, scope) {
      const found = byVersion.get(version)?.get(scope);
      if (found === undefined) return undefined;
      const known = opened.get(found) ?? openScope(found, scope);
      opened.set(found, known);
      return known;
    },
    parentsIn(scope) {
      const direct = parents.get(scope);
      if (direct === undefined) return undefined;
      const known = closed.get(scope) ?? closeParents(direct);
      closed.set(scope, known);
      return known;
    },
  };
}

function inner<T>(outer: Map<string, Map<string, T>>, name: string): Map<string, T> {
  const known = outer.get(name) ?? new Map<string, T>();
  outer.set(name, known);
  return known;
}

function openScope(units: ReadonlyMap<string, LoadedUnit>, scope: string): RolesOfScope {
  const all = new Set(Array.from(units.values()).flatMap(({ scopes }) => scopes.flatMap((of) => (of.scope === scope ? of.patterns : []))));
  const patterns = openKindPatterns([...all]);
  return { units, speakOf: (kind) => !matchesNone(patterns.matching(kind)) };
}

const none: readonly string[] = Object.freeze([]);

/** Returns transitive parents in depth-first order, each once; a cycle ends where it began. */
function closeParents(direct: ReadonlyMap<string, readonly string[]>): Parents {
  const known = new Map<string, readonly string[]>();
  const close = (role: string): readonly string[] => {
    const found = new Set<string>();
    // An explicit stack, because policies may chain more roles than calls can nest. Reversed, so that the first
    // parent is popped first.
    const open = [role];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (found.has(next)) continue;
      found.add(next);
      open.push(...(direct.get(next) ?? none).toReversed());
    }
    found.delete(role);
    return [...found];
  };
  return {
    names: [...direct.keys()],
    of(role) {
      // Cached only for roles that policies name, so that requests cannot fill the cache.
      if (!direct.has(role)) return none;
      const parents = known.get(role) ?? close(role);
      known.set(role, parents);
      return parents;
    },
  };
}
