/**
 * Resolves the imports of policies to the sets of a store, and compares two resolutions, so that an unchanged policy
 * is not validated again.
 */
import type {
  DerivedRolesDocument,
  ExportConstantsDocument,
  ExportVariablesDocument,
  Located,
  PolicyDocument,
} from "../policy/document.ts";
import { sanitise } from "../policy/names.ts";
import type { Imports } from "./rule.ts";

/** The sets of a store by sanitised name. */
export interface Sets {
  readonly derivedRoles: ReadonlyMap<string, DerivedRolesDocument>;
  readonly variables: ReadonlyMap<string, ExportVariablesDocument>;
  readonly constants: ReadonlyMap<string, ExportConstantsDocument>;
}

/** Returns the sets among documents. */
export function setsAmong(documents: readonly PolicyDocument[]): Sets {
  const derivedRoles = new Map<string, DerivedRolesDocument>();
  const variables = new Map<string, ExportVariablesDocument>();
  const constants = new Map<string, ExportConstantsDocument>();
  for (const document of documents) {
    if (document.kind === "derivedRoles") derivedRoles.set(sanitise(document.name.value), document);
    else if (document.kind === "exportVariables") variables.set(sanitise(document.name.value), document);
    else if (document.kind === "exportConstants") constants.set(sanitise(document.name.value), document);
  }
  return { derivedRoles, variables, constants };
}

/** Resolves the imports of a policy. Returns undefined if a set is missing or has errors (reported already). */
export function importsOf(document: PolicyDocument, sets: Sets): Imports | undefined {
  const derivedRoles = document.kind === "resource" ? found(document.importDerivedRoles, sets.derivedRoles) : none;
  const variables = "variables" in document ? found(document.variables.import, sets.variables) : none;
  const constants = "constants" in document ? found(document.constants.import, sets.constants) : none;
  return derivedRoles && variables && constants ? { derivedRoles, variables, constants } : undefined;
}

const none: readonly never[] = [];

function found<D>(names: readonly Located<string>[], sets: ReadonlyMap<string, D>): readonly D[] | undefined {
  if (names.length === 0) return none;
  const imported: D[] = [];
  for (const { value } of names) {
    const set = sets.get(sanitise(value));
    if (set === undefined) return undefined;
    imported.push(set);
  }
  return imported;
}

/** Whether two resolutions gave the same sets. */
export const areSame = (before: Imports, now: Imports): boolean =>
  areEqual(before.derivedRoles, now.derivedRoles) && areEqual(before.variables, now.variables) && areEqual(before.constants, now.constants);

const areEqual = (before: readonly PolicyDocument[], now: readonly PolicyDocument[]): boolean =>
  before.length === now.length && now.every((set, at) => set === before[at]);
