/** What policies are called: sanitised names and policy keys (semantics 2). */
import { keyOf, type PolicyType, sanitiseName as sanitise } from "../../runtime/decide/policy-name.ts";
import type { Located, PolicyDocument } from "./document.ts";

export { sanitise };
export type { PolicyType } from "../../runtime/decide/policy-name.ts";

/** Returns the key of a policy that decides: `resource.<name>.v<version>[/<scope>]`. */
export const policyKey = (type: PolicyType, name: string, version: string, scope: string): string =>
  keyOf(type, sanitise(name), sanitise(version), scope);

/** Returns the key of a set that other policies import. */
export const setKey = (kind: "derived_roles" | "export_variables" | "export_constants", name: string): string =>
  `${kind}.${sanitise(name)}`;

/** Returns what a policy calls what it is about: a kind, a principal, a role, itself. */
export function nameOf(document: PolicyDocument): Located<string> {
  switch (document.kind) {
    case "resource":
      return document.resource;
    case "principal":
      return document.principal;
    case "role":
      return document.role;
    case "derivedRoles":
    case "exportVariables":
    case "exportConstants":
      return document.name;
  }
}

// A memo, not a state: documents never change.
const knownKeys = new WeakMap<PolicyDocument, string>();

/** Returns what a policy is known by in a set. */
export function documentKey(document: PolicyDocument): string {
  const known = knownKeys.get(document);
  if (known !== undefined) return known;
  const key = buildKey(document);
  knownKeys.set(document, key);
  return key;
}

function buildKey(document: PolicyDocument): string {
  switch (document.kind) {
    case "resource":
    case "principal":
    case "role":
      return policyKey(document.kind, nameOf(document).value, document.version.value, document.scope.value);
    case "derivedRoles":
      return setKey("derived_roles", document.name.value);
    case "exportVariables":
      return setKey("export_variables", document.name.value);
    case "exportConstants":
      return setKey("export_constants", document.name.value);
  }
}

/** Returns the name of a resource policy's rule that has none; numbers count from 1. */
export const automaticRuleName = (number: number): string => `rule-${String(number).padStart(3, "0")}`;

/** Returns the name of a principal policy's action that has none; numbers count from 1 within its resource, which is taken as written. */
export const automaticActionName = (resource: string, number: number): string => `${resource}_${automaticRuleName(number)}`;
