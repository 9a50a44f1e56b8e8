/**
 * Links one document of a set. The result depends only on its imports and, for schemas, on the policy of its rootmost
 * scope.
 */
import type { DerivedRolesDocument, PolicyDocument, ResourcePolicyDocument } from "../policy/document.ts";
import { documentKey, sanitise } from "../policy/names.ts";
import { linkDerivedRoles } from "./derived-roles.ts";
import type { Linker } from "./linker.ts";
import { linkPrincipalPolicy, linkResourcePolicy, linkRolePolicy } from "./policies.ts";
import type { DerivedRole, PrincipalPolicy, ResourcePolicy, RolePolicy } from "./policy-set.ts";
import { linkCached } from "./link-cached.ts";
import { rootmost } from "./scope-tree.ts";
import { importedBy } from "./sources.ts";

/** The state of linking a set. */
export interface LinkState {
  readonly linker: Linker;
  /** The documents that count, in path order. */
  readonly byKey: ReadonlyMap<string, PolicyDocument>;
  /** The linked derived roles of every imported set; filled on demand. */
  readonly sets: Map<DerivedRolesDocument, LinkedRoles>;
}

/** The derived roles of one set, by name. */
export type LinkedRoles = ReadonlyMap<string, DerivedRole>;

/** A linked resource, principal or role policy. */
export type LinkedPolicy =
  | { readonly kind: "resource"; readonly policy: ResourcePolicy }
  | { readonly kind: "principal"; readonly policy: PrincipalPolicy }
  | { readonly kind: "role"; readonly policy: RolePolicy };

/** Links a document; undefined for sets that others import. */
export function linkDocument(document: PolicyDocument, state: LinkState): LinkedPolicy | undefined {
  const { linker } = state;
  switch (document.kind) {
    case "resource":
      return { kind: "resource", policy: linkResource(document, state) };
    case "principal": {
      const from = importedBy(document, linker);
      const make = (own: Linker) => linkPrincipalPolicy(document, documentKey(document), own);
      return { kind: "principal", policy: linkCached(linker.cache.principal, document, from, linker, make) };
    }
    case "role": {
      const from = importedBy(document, linker);
      const make = (own: Linker) => linkRolePolicy(document, documentKey(document), own);
      return { kind: "role", policy: linkCached(linker.cache.role, document, from, linker, make) };
    }
    case "derivedRoles":
    case "exportVariables":
    case "exportConstants":
      return undefined;
  }
}

function linkResource(document: ResourcePolicyDocument, state: LinkState): ResourcePolicy {
  const { linker, byKey, sets } = state;
  const root = rootmost(document, documentKey(document), byKey);
  // Includes the linked sets: a set may be linked again with an equal result, but policies of one unit must share the
  // same object.
  const from: unknown[] = [root, ...importedBy(document, linker)];
  // Link a set even if no rule refers to it, because the importer must see its errors.
  for (const name of document.importDerivedRoles) {
    const set = linker.derivedRoles.get(sanitise(name.value));
    if (set === undefined) continue;
    const linked = sets.get(set) ?? linkSet(set, state);
    sets.set(set, linked);
    from.push(linked);
  }
  const make = (own: Linker) => linkResourcePolicy(document, documentKey(document), root, sets, own);
  return linkCached(linker.cache.resource, document, from, linker, make);
}

function linkSet(set: DerivedRolesDocument, state: LinkState): LinkedRoles {
  const { linker } = state;
  return linkCached(linker.cache.derivedRoles, set, importedBy(set, linker), linker, (own) => linkDerivedRoles(set, own));
}
