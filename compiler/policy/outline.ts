/**
 * The outline of a policy: everything that other policies and checks of the whole set depend on. While it is
 * unchanged, the policy can be recompiled alone.
 */
import type { Located, PolicyDocument } from "./document.ts";
import { documentKey, nameOf } from "./names.ts";

/** The names of the sets that a policy imports, as written. */
export interface ImportedNames {
  readonly derivedRoles: readonly string[];
  readonly variables: readonly string[];
  readonly constants: readonly string[];
}

/** Returns what a policy imports. */
export const importsOf = (document: PolicyDocument): ImportedNames => ({
  derivedRoles: document.kind === "resource" ? valuesOf(document.importDerivedRoles) : [],
  variables: "variables" in document ? valuesOf(document.variables.import) : [],
  constants: "constants" in document ? valuesOf(document.constants.import) : [],
});

const valuesOf = (list: readonly Located<string>[]): readonly string[] => list.map(({ value }) => value);

/**
 * Whether two versions of a policy have the same outline. The definitions of an exported set are not part of it,
 * because its importers are recompiled anyway.
 */
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
  // The patterns of a role policy excuse missing ancestors (D37).
  document.kind === "role" ? document.rules.map(({ resource }) => resource.value) : undefined,
];
