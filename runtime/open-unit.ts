/** Opens a unit of a bundle; expensive parts are created on demand. */
import type { Alike } from "./alike.ts";
import type { BundledUnit } from "./bundle.ts";
import type { LoadedUnit, Policy } from "./decide/loaded-unit.ts";
import { readTrees, type UnitTrees } from "./decide/trees.ts";

/** Opens a unit; `find` returns everything about it except its names. */
export function openUnit(bundled: BundledUnit, find: (unit: BundledUnit) => Alike): LoadedUnit {
  const { id, type, name, writtenName, version, digest, scopes } = bundled;
  let alike: Alike | undefined;
  let trees: UnitTrees | undefined;
  let policies: ReadonlyMap<string, Policy> | undefined;
  const unit: LoadedUnit = {
    id,
    type,
    name,
    writtenName,
    version,
    digest,
    shape: bundled.shape,
    scopes,
    program: () => (alike ??= find(bundled)).program(),
    trees: () => (trees ??= readTrees(bundled.trees)),
    policyIn(scope) {
      policies ??= openPolicies(unit, (alike ??= find(bundled)));
      return policies.get(scope);
    },
  };
  return unit;
}

function openPolicies(unit: LoadedUnit, { terms }: Alike): ReadonlyMap<string, Policy> {
  const policies = new Map<string, Policy>();
  for (const [index, says] of unit.scopes.entries()) {
    const of = terms[index];
    if (of !== undefined) policies.set(says.scope, { unit, index, says, terms: of });
  }
  return policies;
}
