/** Links all documents of a store into a set: imports resolved, names bound, expressions typed. */
import type { Report } from "../diagnostic.ts";
import type { DerivedRolesDocument, ExportConstantsDocument, ExportVariablesDocument, PolicyDocument } from "../policy/document.ts";
import { documentKey, sanitise } from "../policy/names.ts";
import { disabledPolicy } from "./disabled.ts";
import { openCheck, once, type Linker } from "./linker.ts";
import { openLinkMemory, type LinkMemory } from "./memory.ts";
import { linkOne, type LinkedRoles, type Linking } from "./one.ts";
import type { PolicySet } from "./policy-set.ts";
import { reportConflictingPermissions } from "./scope-permissions.ts";
import { reportMissingAncestors } from "./scope-tree.ts";
import { checkUnimported } from "./unimported.ts";
import { uniqueDocuments } from "./unique.ts";

/** A policy set, and the linked derived roles of every imported set. */
export interface LinkedSet extends PolicySet {
  readonly derivedRoles: ReadonlyMap<DerivedRolesDocument, LinkedRoles>;
}

/**
 * Links documents. The order of the argument does not matter: results and reports are ordered by path (D42). With the
 * memory of an earlier set, only what changed, or depends on a change, is linked again; `derivedRoles`, sets that are
 * linked already, are used as they are.
 */
export function link(
  documents: readonly PolicyDocument[],
  reportAgain: Report,
  memory = openLinkMemory(),
  derivedRoles: LinkedSet["derivedRoles"] = new Map(),
): LinkedSet {
  const report = once(reportAgain);
  const byKey = uniqueDocuments(
    documents.filter((document) => !document.isDisabled),
    report,
  );
  const unique = [...byKey.values()];
  const linker = openLinker(documents, report, memory, unique);
  for (const key of reportMissingAncestors(byKey, report)) {
    const absent = linker.disabled.get(key);
    if (absent !== undefined) report(disabledPolicy(absent));
  }
  reportConflictingPermissions(unique, report);

  const linking: Linking = { linker, byKey, sets: new Map(derivedRoles) };
  const set: { readonly [K in keyof PolicySet]: PolicySet[K][number][] } = {
    resourcePolicies: [],
    principalPolicies: [],
    rolePolicies: [],
  };
  for (const document of unique) {
    const linked = linkOne(document, linking);
    if (linked?.kind === "resource") set.resourcePolicies.push(linked.policy);
    else if (linked?.kind === "principal") set.principalPolicies.push(linked.policy);
    else if (linked?.kind === "role") set.rolePolicies.push(linked.policy);
  }
  for (const document of unique) checkUnimported(document, linking.sets, linker);
  return { ...set, derivedRoles: linking.sets };
}

/** Builds the linker; `unique` are the documents that count, with unique keys. */
export function openLinker(
  documents: readonly PolicyDocument[],
  report: Report,
  memory: LinkMemory = openLinkMemory(),
  unique: readonly PolicyDocument[] = documents.filter((document) => !document.isDisabled),
): Linker {
  const derivedRoles = new Map<string, DerivedRolesDocument>();
  const exportVariables = new Map<string, ExportVariablesDocument>();
  const exportConstants = new Map<string, ExportConstantsDocument>();
  for (const document of unique) {
    if (document.kind === "derivedRoles") derivedRoles.set(sanitise(document.name.value), document);
    else if (document.kind === "exportVariables") exportVariables.set(sanitise(document.name.value), document);
    else if (document.kind === "exportConstants") exportConstants.set(sanitise(document.name.value), document);
  }
  const disabled = documents.filter((document) => document.isDisabled);
  return {
    report,
    derivedRoles,
    exportVariables,
    exportConstants,
    disabled: new Map(disabled.map((document) => [documentKey(document), document])),
    check: openCheck(memory, report),
    memory,
  };
}
