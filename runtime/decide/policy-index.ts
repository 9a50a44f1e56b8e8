/** What only the whole policy set knows: which units there are, and which scopes exist. */
import { type ScopeSet, scopeSet } from "./scopes.ts";
import type { Unit } from "./unit.ts";
import type { UnitTrees } from "./trees.ts";

/** A unit of a bundle, loaded when it is first asked. */
export interface LoadedUnit {
  /** Sanitised. */
  readonly name: string;
  readonly version: string;
  /** Digest over everything the unit is made of: equal digests behave equally. */
  readonly digest: string;
  readonly scopes: readonly { readonly scope: string; readonly key: string }[];
  readonly program: () => Unit;
  readonly trees: () => UnitTrees;
}

/** The policies of one type. */
export interface TypeIndex {
  /** Scopes that some policy of the type has, whatever its name or version. */
  readonly scopes: ScopeSet;
  /** name -> version -> unit. */
  readonly units: ReadonlyMap<string, ReadonlyMap<string, LoadedUnit>>;
}

/** The policies of a set, type by type. */
export interface PolicyIndex {
  readonly resource: TypeIndex;
}

/** Indexes the units of one type. */
export function indexUnits(units: Iterable<LoadedUnit>): TypeIndex {
  const byName = new Map<string, Map<string, LoadedUnit>>();
  const scopes: string[] = [];
  for (const unit of units) {
    const versions = byName.get(unit.name) ?? new Map<string, LoadedUnit>();
    byName.set(unit.name, versions.set(unit.version, unit));
    for (const { scope } of unit.scopes) scopes.push(scope);
  }
  return { scopes: scopeSet(scopes), units: byName };
}
