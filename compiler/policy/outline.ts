/** The outline of a policy: what other policies, and the checks of a whole set, see of it. While that is equal, the policy can be recompiled alone. */
import type { Located, PolicyDocument } from "./document.ts";
import { documentKey, nameOf } from "./names.ts";

/** The names of the sets that a policy imports, as it writes them. */
export interface ImportedNames {
  readonly derivedRoles: readonly string[];
  readonly variables: readonly string[];
  readonly constants: readonly string[];
}

/** Lists what a policy imports. */
export const importsOf = (document: PolicyDocument): ImportedNames => ({
  derivedRoles: document.kind === "resource" ? valuesOf(document.importDerivedRoles) : [],
  variables: "variables" in document ? valuesOf(document.variables.import) : [],
  constants: "constants" in document ? valuesOf(document.constants.import) : [],
});

const valuesOf = (list: readonly Located<string>[]): readonly string[] => list.map(({ value }) => value);

/** Says whether two versions of a policy look the same from outside. What a set exports may differ: its importers depend on all of it. */
export const hasSameOutline = (left: PolicyDocument, right: PolicyDocument): boolean =>
  left.kind === right.kind &&
  left.isDisabled === right.isDisabled &&
  !left.isBroken &&
  !right.isBroken &&
  documentKey(left) === documentKey(right) &&
  JSON.stringify(outlineOf(left)) === JSON.stringify(outlineOf(right));

const outlineOf = (document: PolicyDocument): readonly unknown[] => [
  nameOf(document).value,
  importsOf(document),
  "scopePermissions" in document ? document.scopePermissions?.value : undefined,
  // A role policy's patterns forgive missing ancestors (D37).
  document.kind === "role" ? document.rules.map(({ resource }) => resource.value) : undefined,
];
