/** What only the whole policy set knows: which units there are, and which scopes exist. */
import type { ActionDecision } from "./decision.ts";
import { type ScopeSet, scopeSet } from "./scopes.ts";
import type { ScopePart, Unit } from "./unit.ts";
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
  /** Changes how fast the next answer comes, never which. */
  readonly memory: { last: Found | undefined };
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

/** One scope on the way of a request. */
export interface Visit {
  /** Which of the unit's policies it is. */
  readonly policy: number;
  readonly part: ScopePart;
  /** What is reported when this scope decides: the key of the leaf, the scope that decided (D39). */
  readonly allow: ActionDecision;
  readonly deny: ActionDecision;
}

/** The way of a request through the policies of one type. */
export interface Route {
  readonly unit: LoadedUnit | undefined;
  /** Nearest scope first; only those where the unit has a policy. */
  readonly visits: readonly Visit[];
  /** What is reported when no rule of it decides. */
  readonly undecided: ActionDecision;
}

/** What was found last for a unit: most requests for a kind name one version and one scope. */
export interface Found {
  readonly scope: string;
  readonly lenient: boolean;
  readonly index: TypeIndex;
  readonly route: Route;
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
