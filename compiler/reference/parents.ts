/** Collects the parent roles of a role, transitively (semantics 4.1 and 4.5). */
import type { PolicySet } from "../link/policy-set.ts";

/**
 * Returns the role, then all its parents, as role policies at exactly the requested scope define them, whatever their
 * version. Each role occurs once, even if it is its own ancestor.
 */
export function withParents(set: PolicySet, role: string, requestedScope: string): readonly string[] {
  const here = set.rolePolicies.filter((policy) => policy.scope === requestedScope);
  const found: string[] = [];
  const add = (name: string): void => {
    if (found.includes(name)) return;
    found.push(name);
    // Role policies are matched by the role as written, not sanitised.
    for (const policy of here) if (policy.writtenName === name) policy.parentRoles.forEach(add);
  };
  add(role);
  return found;
}
