/**
 * A pass evaluates one input against one kind of policies: first principal policies, then resource policies together
 * with role policies.
 */
import { keyOf } from "../../runtime/decide/policy-name.ts";
import type { CheckInput, CheckOptions } from "../../runtime/decide/input.ts";
import type { PolicySet, ResourcePolicy } from "../link/policy-set.ts";
import { sanitise } from "../policy/names.ts";
import { matchesKind } from "./names.ts";
import { withParents } from "./parents.ts";
import { principalRows } from "./principal-rows.ts";
import { resourceRows } from "./resource-rows.ts";
import { roleRows } from "./role-rows.ts";
import type { SkippedRule, Row } from "./row.ts";
import { scopeChain, scopeOf, versionOf } from "./scopes.ts";

/** One pass over the policies for one input. */
export interface Pass {
  /** The scope chain, nearest scope first. */
  readonly chain: readonly string[];
  /** The policy key that is reported, whether or not a policy with that key exists: the one at the nearest scope. */
  readonly key: string;
  /** Whether any policy could apply to the input. */
  readonly exists: boolean;
  /** The roles to consider, in order. */
  readonly roles: readonly string[];
  /** Returns the rules at one scope of the chain, in order. */
  readonly rows: (scope: string, action: string, role: string) => readonly (Row | SkippedRule)[];
  /** Returns the policy whose derived roles are active at a scope. */
  readonly policyAt: (scope: string) => ResourcePolicy | undefined;
}

/**
 * Returns the pass of principal policies. They are selected by the principal's own version (D33), and do not depend
 * on roles.
 */
export function principalPass(set: PolicySet, { principal, resource }: CheckInput, options: CheckOptions): Pass {
  const version = versionOf(principal, options);
  // Principal policies are matched by the id as written, not sanitised.
  const policies = set.principalPolicies.filter((policy) => policy.writtenName === principal.id && policy.version === version);
  const chain = scopeChain(new Set(set.principalPolicies.map(({ scope }) => scope)), scopeOf(principal, options), options);
  return {
    chain,
    key: keyOf("principal", sanitise(principal.id), version, chain[0] ?? ""),
    exists: policies.some(({ scope }) => chain.includes(scope)),
    roles: principal.roles.slice(0, 1),
    rows: (scope, action) =>
      principalRows(
        policies.filter((policy) => policy.scope === scope),
        resource.kind,
        action,
      ),
    policyAt: () => undefined,
  };
}

/** Returns the pass of resource policies, and of the role policies that restrict what they allow. */
export function resourcePass(set: PolicySet, { principal, resource }: CheckInput, options: CheckOptions): Pass {
  const { kind } = resource;
  const version = versionOf(resource, options);
  const requestedScope = scopeOf(resource, options);
  const resourcePolicies = set.resourcePolicies.filter((policy) => policy.name === sanitise(kind) && policy.version === version);
  const rolePolicies = set.rolePolicies.filter((policy) => policy.version === version);

  const chain = scopeChain(resourceScopes(set), requestedScope, options);
  const inChain = ({ scope }: { readonly scope: string }): boolean => chain.includes(scope);
  const policyAt = (scope: string) => resourcePolicies.find((policy) => policy.scope === scope);
  return {
    chain,
    key: keyOf("resource", sanitise(kind), version, chain[0] ?? ""),
    exists:
      resourcePolicies.some(inChain) ||
      rolePolicies.filter(inChain).some(({ rules }) => rules.some((rule) => matchesKind(rule.resource, kind))),
    roles: principal.roles,
    rows: (scope, action, role) => {
      const roles = withParents(set, role, requestedScope);
      const rolePoliciesHere = rolePolicies.filter((policy) => policy.scope === scope);
      // 4.5, row order: the denials of role policies come first.
      return [...roleRows(policyAt(scope), rolePoliciesHere, kind, action, roles), ...resourceRows(policyAt(scope), action, roles)];
    },
    policyAt,
  };
}

/** Semantics 4.4: a scope exists even if its policies have no rules, but a role policy without rules does not count. */
export function resourceScopes({ resourcePolicies, rolePolicies }: PolicySet): ReadonlySet<string> {
  const withRules = rolePolicies.filter(({ rules }) => rules.length > 0);
  return new Set([...resourcePolicies, ...withRules].map(({ scope }) => scope));
}
