/** The names of the sets that a policy imports. */
import type { Located, PolicyDocument } from "./document.ts";

/** As it writes them. */
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
