/** The documents that a policy depends on: its imports, and their imports. */
import type { Located, PolicyDocument } from "../policy/document.ts";
import { sanitise } from "../policy/names.ts";
import type { Linker } from "./linker.ts";

type Importer = Extract<PolicyDocument, { readonly variables: unknown }>;

/** Returns them in order of import; undefined stands for a missing set. */
export function importedBy(document: Importer, linker: Linker): readonly (PolicyDocument | undefined)[] {
  const found: (PolicyDocument | undefined)[] = [];
  addImports(document, linker, found);
  return found;
}

function addImports(document: Importer, linker: Linker, found: (PolicyDocument | undefined)[]): void {
  const add = (names: readonly Located<string>[], sets: ReadonlyMap<string, PolicyDocument>): void => {
    for (const name of names) found.push(sets.get(sanitise(name.value)));
  };
  add(document.variables.import, linker.exportVariables);
  add(document.constants.import, linker.exportConstants);
  if (document.kind !== "resource") return;
  for (const name of document.importDerivedRoles) {
    const set = linker.derivedRoles.get(sanitise(name.value));
    found.push(set);
    if (set !== undefined) addImports(set, linker, found);
  }
}
