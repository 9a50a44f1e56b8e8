/** Sanitised names and policy keys (semantics 2). */
import { keyOf, type PolicyType, sanitiseName as sanitise } from "../../runtime/decide/policy-name.ts";
import type { Located, PolicyDocument } from "./document.ts";

export { sanitise };
export type { PolicyType } from "../../runtime/decide/policy-name.ts";

/** Returns the key of a resource, principal or role policy: `resource.<name>.v<version>[/<scope>]`. */
export const policyKey = (type: PolicyType, name: string, version: string, scope: string): string =>
  keyOf(type, sanitise(name), sanitise(version), scope);

/** Returns the key of a set that other policies import. */
export const setKey = (kind: "derived_roles" | "export_variables" | "export_constants", name: string): string =>
  `${kind}.${sanitise(name)}`;

/** Returns the name of a policy: its resource kind, principal, role, or set name. */
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

// A cache; documents never change.
const knownKeys = new WeakMap<PolicyDocument, string>();

/** Returns the key of a policy in a set. */
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

/** The name of an unnamed rule in a resource policy; `number` starts at 1. */
export const automaticRuleName = (number: number): string => `rule-${String(number).padStart(3, "0")}`;

/** The name of an unnamed action in a principal policy; `number` starts at 1 within its resource. */
export const automaticActionName = (resource: string, number: number): string => `${resource}_${automaticRuleName(number)}`;
