/** What only the whole policy set knows: which units there are, which scopes exist, and which roles have policies of their own. */
import type { LoadedUnit } from "./loaded-unit.ts";
import type { PolicyType } from "./policy-name.ts";
import { indexRoles, type RoleIndex } from "./role-index.ts";
import { changeScopes, noScopes, type ScopeSet } from "./scopes.ts";

/** The policies of one type. */
export interface TypeIndex {
  /** Scopes that some policy of the type has, whatever its name or version; those of resources count role policies too. */
  readonly scopes: ScopeSet;
  /** name -> version -> unit; resources by their sanitised names, principals by what is written. */
  readonly units: ReadonlyMap<string, ReadonlyMap<string, LoadedUnit>>;
}

/** The policies of a set, type by type. */
export interface PolicyIndex {
  readonly resource: TypeIndex;
  readonly principal: TypeIndex;
  readonly role: RoleIndex;
}

const empty: PolicyIndex = {
  resource: { scopes: noScopes, units: new Map() },
  principal: { scopes: noScopes, units: new Map() },
  role: indexRoles([]),
};

/** Indexes the units of a set. */
export const indexUnits = (units: Iterable<LoadedUnit>): PolicyIndex => reindex(empty, [], [...units]);

/** The index with some units fewer and some more; what neither touches is taken as it is. */
export function reindex(index: PolicyIndex, fewer: readonly LoadedUnit[], more: readonly LoadedUnit[]): PolicyIndex {
  const of = (type: PolicyType, units: readonly LoadedUnit[]): readonly LoadedUnit[] => units.filter((unit) => unit.type === type);
  const changed = (...types: readonly PolicyType[]): boolean => [...fewer, ...more].some(({ type }) => types.includes(type));
  const change = (before: TypeIndex, type: "resource" | "principal", others: readonly PolicyType[]): TypeIndex => {
    const count = (units: readonly LoadedUnit[]): readonly string[] =>
      [type, ...others].flatMap((each) => of(each, units)).flatMap(existingScopes);
    return {
      scopes: changed(type, ...others) ? changeScopes(before.scopes, count(fewer), count(more)) : before.scopes,
      units: changed(type) ? changeNames(before.units, of(type, fewer), of(type, more)) : before.units,
    };
  };
  const roles = index.role.units.filter((unit) => !fewer.includes(unit));
  return {
    resource: change(index.resource, "resource", ["role"]),
    principal: change(index.principal, "principal", []),
    role: changed("role") ? indexRoles([...roles, ...of("role", more)]) : index.role,
  };
}

/** A role policy without rules does not make its scope exist (semantics 4.4). */
const existingScopes = ({ type, scopes }: LoadedUnit): readonly string[] =>
  scopes.flatMap((says) => (type === "role" && says.rows.length === 0 ? [] : [says.scope]));

function changeNames(before: TypeIndex["units"], fewer: readonly LoadedUnit[], more: readonly LoadedUnit[]): TypeIndex["units"] {
  const names = new Map(before);
  // A name's versions are copied before they are changed, once.
  const own = new Map<string, Map<string, LoadedUnit>>();
  const versionsOf = (unit: LoadedUnit): Map<string, LoadedUnit> => {
    const name = nameIn(unit);
    const versions = own.get(name) ?? new Map(names.get(name));
    own.set(name, versions);
    names.set(name, versions);
    return versions;
  };
  for (const unit of fewer) versionsOf(unit).delete(unit.version);
  for (const unit of more) versionsOf(unit).set(unit.version, unit);
  for (const [name, versions] of own) if (versions.size === 0) names.delete(name);
  return names;
}

/** What a unit is called in the index. */
export const nameIn = ({ type, name, writtenName }: LoadedUnit): string => (type === "principal" ? writtenName : name);
