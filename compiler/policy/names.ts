/** What policies are called: sanitised names and policy keys (semantics 2). */
import { keyOf, sanitiseName as sanitise } from "../../runtime/decide/policy-name.ts";

export { sanitise };

/** Returns the key of a resource policy: `resource.<name>.v<version>[/<scope>]`. */
export const resourcePolicyKey = (name: string, version: string, scope: string): string =>
  keyOf("resource", sanitise(name), sanitise(version), scope);

/** Returns the key of a set that other policies import. */
export const setKey = (kind: "derived_roles" | "export_variables" | "export_constants", name: string): string =>
  `${kind}.${sanitise(name)}`;

/** Returns the name of a rule that has none; numbers count from 1. */
export const automaticRuleName = (number: number): string => `rule-${String(number).padStart(3, "0")}`;
