/** Lists the policies that took part in a decision, for the audit log (semantics 4.9). */
import type { JsonObject } from "../../runtime/cel/value.ts";
import type { PolicySet } from "../link/policy-set.ts";
import type { DecidingPolicy } from "./row.ts";
import { withAncestors } from "./scopes.ts";

/**
 * Returns every policy of which a row was considered, with its scope ancestors; a role policy without them. Sorted by
 * key.
 */
export function effectivePolicies(set: PolicySet, considered: ReadonlySet<DecidingPolicy>): ReadonlyMap<string, JsonObject> {
  const ancestorsOf = (policy: DecidingPolicy, all: readonly DecidingPolicy[]): readonly DecidingPolicy[] =>
    all.filter(
      ({ name, version, scope }) => name === policy.name && version === policy.version && withAncestors(policy.scope).includes(scope),
    );
  const found = [...considered].flatMap((policy) => {
    if (set.rolePolicies.some((role) => role === policy)) return [policy];
    const ofPrincipals = set.principalPolicies.some((principal) => principal === policy);
    return ancestorsOf(policy, ofPrincipals ? set.principalPolicies : set.resourcePolicies);
  });
  const sorted = found.toSorted((left, right) => (left.key < right.key ? -1 : left.key > right.key ? 1 : 0));
  return new Map(sorted.map(({ key, sourceAttributes }) => [key, sourceAttributes]));
}
