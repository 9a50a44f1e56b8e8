/** The roles whose permissions a role stands for: its parents, and theirs (semantics 4.1 and 4.5). */
import type { PolicySet } from "../link/policy-set.ts";

/**
 * The role, then all its parents, as role policies at exactly the requested scope name them, whatever their version. A role
 * that is its own ancestor comes once.
 */
export function withParents(set: PolicySet, role: string, requestedScope: string): readonly string[] {
  const here = set.rolePolicies.filter((policy) => policy.scope === requestedScope);
  const found: string[] = [];
  const add = (name: string): void => {
    if (found.includes(name)) return;
    found.push(name);
    // A role policy is for the role that its author wrote.
    for (const policy of here) if (policy.writtenName === name) policy.parentRoles.forEach(add);
  };
  add(role);
  return found;
}
