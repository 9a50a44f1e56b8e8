/** One document of a set, linked: it depends on what it imports and on the policy above it whose schemas count, and on nothing else. */
import type { DerivedRolesDocument, PolicyDocument, ResourcePolicyDocument } from "../policy/document.ts";
import { documentKey, sanitise } from "../policy/names.ts";
import { linkDerivedRoles } from "./derived-roles.ts";
import type { Linker } from "./linker.ts";
import { linkPrincipalPolicy, linkResourcePolicy, linkRolePolicy } from "./policies.ts";
import type { DerivedRole, PrincipalPolicy, ResourcePolicy, RolePolicy } from "./policy-set.ts";
import { remembered } from "./remembered.ts";
import { rootmost } from "./scope-tree.ts";
import { importedBy } from "./sources.ts";

/** What linking a set knows of it. */
export interface Linking {
  readonly linker: Linker;
  /** The documents that count, in the order of their paths. */
  readonly byKey: ReadonlyMap<string, PolicyDocument>;
  /** The derived roles of every set that some policy imports, by name; it grows with each policy that is linked. */
  readonly sets: Map<DerivedRolesDocument, ReadonlyMap<string, DerivedRole>>;
}

/** A policy that decides, linked. */
export type LinkedPolicy =
  | { readonly kind: "resource"; readonly policy: ResourcePolicy }
  | { readonly kind: "principal"; readonly policy: PrincipalPolicy }
  | { readonly kind: "role"; readonly policy: RolePolicy };

/** Links a document; sets that others import give nothing of their own. */
export function linkOne(document: PolicyDocument, linking: Linking): LinkedPolicy | undefined {
  const { linker } = linking;
  switch (document.kind) {
    case "resource":
      return { kind: "resource", policy: linkResource(document, linking) };
    case "principal": {
      const from = importedBy(document, linker);
      const make = (own: Linker) => linkPrincipalPolicy(document, documentKey(document), own);
      return { kind: "principal", policy: remembered(linker.memory.principal, document, from, linker, make) };
    }
    case "role": {
      const from = importedBy(document, linker);
      const make = (own: Linker) => linkRolePolicy(document, documentKey(document), own);
      return { kind: "role", policy: remembered(linker.memory.role, document, from, linker, make) };
    }
    case "derivedRoles":
    case "exportVariables":
    case "exportConstants":
      return undefined;
  }
}

function linkResource(document: ResourcePolicyDocument, linking: Linking): ResourcePolicy {
  const { linker, byKey, sets } = linking;
  const root = rootmost(document, documentKey(document), byKey);
  // The linked sets too: a set can be linked again and be equal, but policies of one unit must hold one and the same.
  const from: unknown[] = [root, ...importedBy(document, linker)];
  // A set that no rule refers to is linked all the same: its mistakes are the importer's to know.
  for (const name of document.importDerivedRoles) {
    const set = linker.derivedRoles.get(sanitise(name.value));
    if (set === undefined) continue;
    const linked = sets.get(set) ?? linkSet(set, linking);
    sets.set(set, linked);
    from.push(linked);
  }
  const make = (own: Linker) => linkResourcePolicy(document, documentKey(document), root, sets, own);
  return remembered(linker.memory.resource, document, from, linker, make);
}

function linkSet(set: DerivedRolesDocument, linking: Linking): ReadonlyMap<string, DerivedRole> {
  const { linker } = linking;
  return remembered(linker.memory.derivedRoles, set, importedBy(set, linker), linker, (own) => linkDerivedRoles(set, own));
}
