/** Determines where policies for a request are looked up: versions, scopes, and the chain of scopes up to the root. */
import type { CheckInput, CheckOptions } from "../../runtime/decide/input.ts";

/** The principal or the resource of a request. Each has its own version and scope. */
type Side = CheckInput["principal"] | CheckInput["resource"];

/** Semantics 4.3: the version in the request, or the default. */
export const versionOf = ({ policyVersion }: Side, { defaultPolicyVersion }: CheckOptions): string =>
  policyVersion === undefined || policyVersion === "" ? defaultPolicyVersion : policyVersion;

/** Semantics 4.3: the scope in the request, or the default. One leading dot is removed from either. */
export function scopeOf({ scope }: Side, { defaultScope }: CheckOptions): string {
  return withoutDot(scope === undefined || scope === "" ? defaultScope : scope);
}

/** Semantics 4.3: the input as conditions see it: scopes without leading dot, and without defaults. */
export function withoutDots(input: CheckInput): CheckInput {
  const plain = <T extends Side>(side: T): T => (side.scope === undefined ? side : { ...side, scope: withoutDot(side.scope) });
  return { ...input, principal: plain(input.principal), resource: plain(input.resource) };
}

const withoutDot = (scope: string): string => (scope.startsWith(".") ? scope.slice(1) : scope);

/**
 * Semantics 4.4: the scope and its ancestors, nearest first, as far as some policy of the type exists there, whatever
 * its kind or principal. A scope that does not exist itself has an empty chain, unless scope search is lenient.
 */
export function scopeChain(existing: ReadonlySet<string>, scope: string, { lenientScopeSearch }: CheckOptions): readonly string[] {
  if (!existing.has(scope) && !lenientScopeSearch) return [];
  return withAncestors(scope).filter((each) => existing.has(each));
}

/** `acme.hr` -> `acme.hr`, `acme`, "". */
export function withAncestors(scope: string): readonly string[] {
  if (scope === "") return [""];
  const dot = scope.lastIndexOf(".");
  return [scope, ...withAncestors(dot === -1 ? "" : scope.slice(0, dot))];
}
