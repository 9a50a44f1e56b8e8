/** Lists the names of the sets that a policy imports. */
import type { Located, PolicyDocument } from "./document.ts";

/** The names, as written. */
export interface ImportedNames {
  readonly derivedRoles: readonly string[];
  readonly variables: readonly string[];
  readonly constants: readonly string[];
}

/** Returns the imports of a policy; types of policy that cannot import have none. */
export const importsOf = (document: PolicyDocument): ImportedNames => ({
  derivedRoles: document.kind === "resource" ? valuesOf(document.importDerivedRoles) : [],
  variables: "variables" in document ? valuesOf(document.variables.import) : [],
  constants: "constants" in document ? valuesOf(document.constants.import) : [],
});

const valuesOf = (list: readonly Located<string>[]): readonly string[] => list.map(({ value }) => value);
