/** Links all documents of a store into a set: imports resolved, names bound, expressions typed. */
import type { Report } from "../diagnostic.ts";
import type { DerivedRolesDocument, ExportConstantsDocument, ExportVariablesDocument, PolicyDocument } from "../policy/document.ts";
import { documentKey, sanitise } from "../policy/names.ts";
import { disabledPolicyWarning } from "./disabled.ts";
import { openCheck, once, type Linker } from "./linker.ts";
import { openLinkCache, type LinkCache } from "./cache.ts";
import { linkDocument, type LinkedRoles, type LinkState } from "./link-document.ts";
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
 * cache of an earlier set, only what changed, or depends on a change, is linked again; `derivedRoles`, sets that are
 * linked already, are used as they are.
 */
export function link(
  documents: readonly PolicyDocument[],
  reportAgain: Report,
  cache = openLinkCache(),
  derivedRoles: LinkedSet["derivedRoles"] = new Map(),
): LinkedSet {
  const report = once(reportAgain);
  const byKey = uniqueDocuments(
    documents.filter((document) => !document.isDisabled),
    report,
  );
  const unique = [...byKey.values()];
  const linker = openLinker(documents, report, cache, unique);
  for (const key of reportMissingAncestors(byKey, report)) {
    const absent = linker.disabled.get(key);
    if (absent !== undefined) report(disabledPolicyWarning(absent));
  }
  reportConflictingPermissions(unique, report);

  const state: LinkState = { linker, byKey, sets: new Map(derivedRoles) };
  const set: { readonly [K in keyof PolicySet]: PolicySet[K][number][] } = {
    resourcePolicies: [],
    principalPolicies: [],
    rolePolicies: [],
  };
  for (const document of unique) {
    const linked = linkDocument(document, state);
    if (linked?.kind === "resource") set.resourcePolicies.push(linked.policy);
    else if (linked?.kind === "principal") set.principalPolicies.push(linked.policy);
    else if (linked?.kind === "role") set.rolePolicies.push(linked.policy);
  }
  for (const document of unique) checkUnimported(document, state.sets, linker);
  return { ...set, derivedRoles: state.sets };
}

/** Builds the linker; `unique` are the documents that count, with unique keys. */
export function openLinker(
  documents: readonly PolicyDocument[],
  report: Report,
  cache: LinkCache = openLinkCache(),
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
    check: openCheck(cache, report),
    cache,
  };
}
