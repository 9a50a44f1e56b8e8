/** Finds what policies of a store can import, and the imports that are missing. */
import type {
  ConstantNode,
  DerivedRoleNode,
  DerivedRolesDocument,
  ExportConstantsDocument,
  ExportVariablesDocument,
  Located,
  PolicyDocument,
  VariableNode,
} from "../policy/document.ts";
import { documentKey, setKey } from "../policy/names.ts";

/** A definition and the key of its set. */
export interface Imported<N> {
  readonly node: N;
  readonly source: string;
}

/** The definitions, by name, of all sets in a list of imports. */
type Definitions<N> = ReadonlyMap<string, readonly Imported<N>[]>;

/** Looks up imports. Missing ones give nothing. */
export interface Importable {
  readonly derivedRoles: (imports: readonly Located<string>[]) => Definitions<DerivedRoleNode>;
  readonly variables: (imports: readonly Located<string>[]) => Definitions<VariableNode>;
  readonly constants: (imports: readonly Located<string>[]) => Definitions<ConstantNode>;
}

/**
 * Collects the sets of a store. A disabled set is used where there is no other, because a disabled policy is
 * inspected with what it would import.
 */
export function importableOf(documents: Iterable<PolicyDocument>): Importable {
  const derivedRoles = new Map<string, DerivedRolesDocument>();
  const variables = new Map<string, ExportVariablesDocument>();
  const constants = new Map<string, ExportConstantsDocument>();
  for (const document of documents) {
    const key = documentKey(document);
    if (document.kind === "derivedRoles") derivedRoles.set(key, document);
    else if (document.kind === "exportVariables") variables.set(key, document);
    else if (document.kind === "exportConstants") constants.set(key, document);
  }
  return {
    derivedRoles: merging("derived_roles", derivedRoles),
    variables: merging("export_variables", variables),
    constants: merging("export_constants", constants),
  };
}

/**
 * Returns a function that merges the definitions of sets. It caches, because most policies of a store import the same
 * sets.
 */
function merging<N extends { readonly name: Located<string> }>(
  kind: Parameters<typeof setKey>[0],
  sets: ReadonlyMap<string, { readonly definitions: readonly N[] }>,
): (imports: readonly Located<string>[]) => Definitions<N> {
  const merged = new Map<string, Definitions<N>>();
  return (imports) => {
    if (imports.length === 0) return nothing;
    const keys = imports.map(({ value }) => setKey(kind, value));
    const list = keys.join("\n");
    const known = merged.get(list);
    if (known !== undefined) return known;
    const byName = new Map<string, Imported<N>[]>();
    for (const source of new Set(keys))
      for (const node of sets.get(source)?.definitions ?? []) {
        const found = byName.get(node.name.value);
        if (found === undefined) byName.set(node.name.value, [{ node, source }]);
        else found.push({ node, source });
      }
    merged.set(list, byName);
    return byName;
  };
}

const nothing: ReadonlyMap<string, never> = new Map<string, never>();

/** Returns the keys of the sets that a policy imports, without duplicates. */
export function importsOf(document: PolicyDocument): ReadonlySet<string> {
  const keys = (kind: Parameters<typeof setKey>[0], names: readonly Located<string>[]): readonly string[] =>
    names.map(({ value }) => setKey(kind, value));
  return new Set([
    ...(document.kind === "resource" ? keys("derived_roles", document.importDerivedRoles) : []),
    ...("variables" in document ? keys("export_variables", document.variables.import) : []),
    ...("constants" in document ? keys("export_constants", document.constants.import) : []),
  ]);
}
