/**
 * Derives the index of the next policy set from the previous one: units are removed and added one by one, everything
 * else is reused.
 */
import { byUnits } from "../order.ts";
import { VersionedMap } from "../versioned-map.ts";
import type { LoadedUnit } from "./loaded-unit.ts";
import { existingScopes, nameIn, type PolicyIndex, type TypeIndex } from "./policy-index.ts";
import { indexRoles } from "./role-index.ts";
import { countedScopes, type ScopeSet, scopeSet } from "./scopes.ts";

/** An index from which the next can be derived. */
export interface VersionedIndex extends PolicyIndex {
  readonly resource: VersionedTypeIndex;
  readonly principal: VersionedTypeIndex;
}

interface VersionedTypeIndex extends TypeIndex {
  readonly units: VersionedMap<ReadonlyMap<string, LoadedUnit>>;
}

/** The next index under construction; the previous one is not changed. */
export interface IndexDraft {
  /** Removes a unit. All removals must precede all additions: a new unit may have the name of a removed one. */
  readonly take: (unit: LoadedUnit) => void;
  readonly put: (unit: LoadedUnit) => void;
  readonly finish: () => VersionedIndex;
}

const emptyType: VersionedTypeIndex = { scopes: scopeSet([]), units: VersionedMap.of() };

/** An index without units. */
export const emptyIndex: VersionedIndex = { resource: emptyType, principal: emptyType, role: indexRoles([]) };

/** Starts the next index. */
export function editIndex(before: VersionedIndex): IndexDraft {
  const types = { resource: editType(before.resource), principal: editType(before.principal) };
  let roles: Set<LoadedUnit> | undefined;
  const countScopes = (unit: LoadedUnit, by: 1 | -1): void => {
    const { count } = types[unit.type === "role" ? "resource" : unit.type];
    for (const scope of existingScopes(unit)) count(scope, by);
  };
  return {
    take: (unit) => {
      countScopes(unit, -1);
      if (unit.type === "role") (roles ??= new Set(before.role.units)).delete(unit);
      else types[unit.type].take(unit);
    },
    put: (unit) => {
      countScopes(unit, 1);
      if (unit.type === "role") (roles ??= new Set(before.role.units)).add(unit);
      else types[unit.type].put(unit);
    },
    finish: () => ({
      resource: types.resource.finish(),
      principal: types.principal.finish(),
      // Sorted, whatever the order of changes: the order determines in which order parent roles are evaluated.
      role: roles === undefined ? before.role : indexRoles([...roles].sort((left, right) => byUnits(left.id, right.id))),
    }),
  };
}

/** Changes of the index of one policy type, while they are collected. */
interface TypeDraft {
  readonly count: (scope: string, by: 1 | -1) => void;
  readonly take: (unit: LoadedUnit) => void;
  readonly put: (unit: LoadedUnit) => void;
  readonly finish: () => VersionedTypeIndex;
}

function editType({ scopes, units }: VersionedTypeIndex): TypeDraft {
  const names = units.edit();
  // A name's map of versions is copied once, before its first change.
  const own = new Map<string, Map<string, LoadedUnit>>();
  const counts = new Map<string, number>();
  const versionsOf = (name: string): Map<string, LoadedUnit> => {
    const known = own.get(name);
    if (known !== undefined) return known;
    const versions = new Map(names.get(name));
    own.set(name, versions);
    names.set(name, versions);
    return versions;
  };
  return {
    count: (scope, by) => void counts.set(scope, (counts.get(scope) ?? 0) + by),
    take: (unit) => {
      const name = nameIn(unit);
      const versions = versionsOf(name);
      versions.delete(unit.version);
      if (versions.size > 0) return;
      names.delete(name);
      own.delete(name);
    },
    put: (unit) => void versionsOf(nameIn(unit)).set(unit.version, unit),
    finish: () => ({ scopes: withCounts(scopes, counts), units: names.finish() }),
  };
}

/** Returns the same set if the counts cancel out. */
function withCounts(before: ScopeSet, counts: ReadonlyMap<string, number>): ScopeSet {
  const changed = [...counts].filter(([, by]) => by !== 0);
  if (changed.length === 0) return before;
  const all = new Map(before.all);
  for (const [scope, by] of changed) {
    const now = (all.get(scope) ?? 0) + by;
    if (now > 0) all.set(scope, now);
    else all.delete(scope);
  }
  return countedScopes(all);
}
