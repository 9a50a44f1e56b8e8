/** Indexes a policy set: units by name, existing scopes, and roles with policies. */
import type { LoadedUnit } from "./loaded-unit.ts";
import type { PolicyType } from "./policy-name.ts";
import { indexRoles, type RoleIndex } from "./role-index.ts";
import { type ScopeSet, scopeSet } from "./scopes.ts";

/** The policies of one type. */
export interface TypeIndex {
  /** Scopes of all policies of the type, whatever their name or version; those of resources include role policies. */
  readonly scopes: ScopeSet;
  /** Name -> version -> unit. Resources by sanitised name, principals by name as written. */
  readonly units: ReadonlyMap<string, ReadonlyMap<string, LoadedUnit>>;
}

/** The policies of a set by type. */
export interface PolicyIndex {
  readonly resource: TypeIndex;
  readonly principal: TypeIndex;
  readonly role: RoleIndex;
}

/** Indexes the units of a set. */
export function indexUnits(units: readonly LoadedUnit[]): PolicyIndex {
  const of = (type: PolicyType): readonly LoadedUnit[] => units.filter((unit) => unit.type === type);
  const indexType = (named: readonly LoadedUnit[], others: readonly LoadedUnit[]): TypeIndex => ({
    scopes: scopeSet([...named, ...others].flatMap(existingScopes)),
    units: byName(named),
  });
  const roles = of("role");
  return { resource: indexType(of("resource"), roles), principal: indexType(of("principal"), []), role: indexRoles(roles) };
}

/** A role policy without rules does not make its scope exist (semantics 4.4). */
export const existingScopes = ({ type, scopes }: LoadedUnit): readonly string[] =>
  scopes.flatMap((bundled) => (type === "role" && bundled.rows.length === 0 ? [] : [bundled.scope]));

function byName(units: readonly LoadedUnit[]): TypeIndex["units"] {
  const names = new Map<string, Map<string, LoadedUnit>>();
  for (const unit of units) {
    const name = nameIn(unit);
    const versions = names.get(name);
    if (versions === undefined) names.set(name, new Map([[unit.version, unit]]));
    else versions.set(unit.version, unit);
  }
  return names;
}

/** The name of a unit in the index. */
export const nameIn = ({ type, name, writtenName }: LoadedUnit): string => (type === "principal" ? writtenName : name);
