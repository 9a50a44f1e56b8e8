/** Names of policies: the forms that versions and scopes have, and how names become part of a policy key (semantics 2). */

/** A policy version: letters, digits and underscores (semantics 1.1). */
export const versionForm = /^\w+$/;

/** A scope: names with dots between; "" and a lone dot are the root (semantics 1.1). */
export const scopeForm = /^(?:|\.|[0-9a-zA-Z][\w-]*(?:\.\w[\w-]*)*)$/;

/** Replaces what cannot stand in a key by `_`, one for each run; a name that never followed the old grammar stays as it is. */
export function sanitiseName(name: string): string {
  if (plain.test(name)) return name;
  return old.test(name) ? name.replace(outside, "_") : name;
}

/** Builds `resource.<name>.v<version>[/<scope>]`. */
export const keyOf = (type: PolicyType, name: string, version: string, scope: string): string =>
  `${type}.${name}.v${version}${scope === "" ? "" : `/${scope}`}`;

/** The kinds of policy that decide. */
export type PolicyType = "principal" | "resource" | "role";

const plain = /^[A-Za-z0-9_.]+$/;
// Every `:` opens a segment and no segment holds one, so this cannot backtrack far.
const old = /^[A-Za-z][\w@.\-/]*(?::[A-Za-z][\w@.\-/]*)*$/;
const outside = /[^A-Za-z0-9_.]+/g;
