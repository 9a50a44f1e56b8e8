/** Where a request looks for policies: its version, its scope, and the chain of scopes from there to the root. */
import type { CheckInput, CheckOptions } from "../../runtime/decide/input.ts";
import type { PolicySet } from "../link/policy-set.ts";

/** Semantics 4.3: the version that the resource names, or the default. */
export const versionOf = ({ resource }: CheckInput, { defaultPolicyVersion }: CheckOptions): string =>
  resource.policyVersion === undefined || resource.policyVersion === "" ? defaultPolicyVersion : resource.policyVersion;

/** Semantics 4.3: the scope that the resource names, or the default; one leading dot says "whatever the default is". */
export function scopeOf({ resource }: CheckInput, { defaultScope }: CheckOptions): string {
  const scope = resource.scope === undefined || resource.scope === "" ? defaultScope : resource.scope;
  return scope.startsWith(".") ? scope.slice(1) : scope;
}

/** Semantics 4.3: what conditions see of the scopes, never a default, and never the dot. */
export function withoutDots(input: CheckInput): CheckInput {
  const plain = <T extends { readonly scope?: string }>(part: T): T =>
    part.scope?.startsWith(".") ? { ...part, scope: part.scope.slice(1) } : part;
  return { ...input, principal: plain(input.principal), resource: plain(input.resource) };
}

/**
 * Semantics 4.4: the scope and its ancestors, nearest first, as far as any policy of the type exists there, whatever its
 * kind. A scope that does not exist itself has no chain, unless the search is lenient.
 */
export function scopeChain(set: PolicySet, scope: string, lenient: boolean): readonly string[] {
  const existing = new Set(set.resourcePolicies.map((policy) => policy.scope));
  if (!existing.has(scope) && !lenient) return [];
  return withAncestors(scope).filter((each) => existing.has(each));
}

/** `acme.hr` -> `acme.hr`, `acme`, "". */
function withAncestors(scope: string): readonly string[] {
  if (scope === "") return [""];
  const dot = scope.lastIndexOf(".");
  return [scope, ...withAncestors(dot === -1 ? "" : scope.slice(0, dot))];
}
