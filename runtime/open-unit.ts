/** Opens a unit of a bundle; expensive parts are created on demand. */
import type { UnitContent } from "./unit-content.ts";
import type { BundledUnit } from "./bundle.ts";
import type { LoadedUnit, Policy } from "./decide/loaded-unit.ts";
import { readTrees, type UnitTrees } from "./decide/trees.ts";

/** Opens a unit; `find` returns everything about it except its names. */
export function openUnit(bundled: BundledUnit, find: (unit: BundledUnit) => UnitContent): LoadedUnit {
  const { id, type, name, writtenName, version, digest, scopes } = bundled;
  let content: UnitContent | undefined;
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
    program: () => (content ??= find(bundled)).program(),
    trees: () => (trees ??= readTrees(bundled.trees)),
    policyIn(scope) {
      policies ??= openPolicies(unit, (content ??= find(bundled)));
      return policies.get(scope);
    },
  };
  return unit;
}

function openPolicies(unit: LoadedUnit, { policies: contents }: UnitContent): ReadonlyMap<string, Policy> {
  const policies = new Map<string, Policy>();
  for (const [index, bundled] of unit.scopes.entries()) {
    const content = contents[index];
    if (content !== undefined) policies.set(bundled.scope, { unit, index, bundled, content });
  }
  return policies;
}
