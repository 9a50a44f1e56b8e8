/** What policies are called: sanitised names and policy keys (semantics 2). */

const oldName = /^[A-Za-z][\w@.\-/]*(?::[A-Za-z][\w@.\-/]*)*$/;

/** Replaces each run of characters outside `[A-Za-z0-9_.]` by one `_`, in names of the old grammar only: `a:b` and `a_b` are one kind. */
export const sanitise = (name: string): string => (oldName.test(name) ? name.replaceAll(/[^A-Za-z0-9_.]+/g, "_") : name);

/** Returns the key of a resource policy: `resource.<name>.v<version>[/<scope>]`. */
export const resourcePolicyKey = (name: string, version: string, scope: string): string =>
  `resource.${sanitise(name)}.v${sanitise(version)}${scope === "" ? "" : `/${scope}`}`;

/** Returns the key of a set that other policies import. */
export const setKey = (kind: "derived_roles" | "export_variables" | "export_constants", name: string): string =>
  `${kind}.${sanitise(name)}`;

/** Returns the name of a rule that has none; numbers count from 1. */
export const automaticRuleName = (number: number): string => `rule-${String(number).padStart(3, "0")}`;
