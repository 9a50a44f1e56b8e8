/** The syntax of versions and scopes, and how names become part of a policy key (semantics 2). */

/** A policy version: letters, digits and underscores (semantics 1.1). */
export const versionForm = /^\w+$/;

/** A scope: names separated by dots; "" and a single dot are the root (semantics 1.1). */
export const scopeForm = /^(?:|\.|[0-9a-zA-Z][\w-]*(?:\.\w[\w-]*)*)$/;

/**
 * Replaces each run of characters that cannot be in a key by `_`. A name that does not follow the old grammar stays
 * unchanged.
 */
export function sanitiseName(name: string): string {
  if (plain.test(name)) return name;
  return old.test(name) ? name.replace(outside, "_") : name;
}

/** Builds `resource.<name>.v<version>[/<scope>]`. */
export const keyOf = (type: PolicyType, name: string, version: string, scope: string): string =>
  `${type}.${name}.v${version}${scope === "" ? "" : `/${scope}`}`;

/** The types of policies that decide. */
export type PolicyType = "principal" | "resource" | "role";

const plain = /^[A-Za-z0-9_.]+$/;
// Each `:` starts a segment and no segment contains one, so backtracking is bounded.
const old = /^[A-Za-z][\w@.\-/]*(?::[A-Za-z][\w@.\-/]*)*$/;
const outside = /[^A-Za-z0-9_.]+/g;
