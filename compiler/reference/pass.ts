/** A pass: the policies of one type that an input is taken to, principal policies first, then resource and role policies. */
import { keyOf } from "../../runtime/decide/policy-name.ts";
import type { CheckInput, CheckOptions } from "../../runtime/decide/input.ts";
import type { PolicySet, ResourcePolicy } from "../link/policy-set.ts";
import { sanitise } from "../policy/names.ts";
import { matchesKind } from "./names.ts";
import { withParents } from "./parents.ts";
import { principalRows } from "./principal-rows.ts";
import { resourceRows } from "./resource-rows.ts";
import { roleRows } from "./role-rows.ts";
import type { PassedOver, Row } from "./row.ts";
import { scopeChain, scopeOf, versionOf } from "./scopes.ts";

/** One type of policy, as one input sees it. */
export interface Pass {
  /** Nearest first. */
  readonly chain: readonly string[];
  /** What is reported of it, whether or not a policy bears that key: the key at the nearest scope. */
  readonly key: string;
  /** Whether there is any row at all that could ever be asked. */
  readonly exists: boolean;
  /** One after another. */
  readonly roles: readonly string[];
  /** The rules at one scope of the chain, in order. */
  readonly rows: (scope: string, action: string, role: string) => readonly (Row | PassedOver)[];
  /** The policy whose derived roles count at a scope. */
  readonly policyAt: (scope: string) => ResourcePolicy | undefined;
}

/** The pass of principal policies. They are chosen by the principal's own version (D33), and roles do not matter to them. */
export function principalPass(set: PolicySet, { principal, resource }: CheckInput, options: CheckOptions): Pass {
  const version = versionOf(principal, options);
  // A principal policy is for the principal whose id its author wrote.
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

/** The pass of resource policies, and of the role policies that narrow what they allow. */
export function resourcePass(set: PolicySet, { principal, resource }: CheckInput, options: CheckOptions): Pass {
  const { kind } = resource;
  const version = versionOf(resource, options);
  const requestedScope = scopeOf(resource, options);
  const resourcePolicies = set.resourcePolicies.filter((policy) => policy.name === sanitise(kind) && policy.version === version);
  const rolePolicies = set.rolePolicies.filter((policy) => policy.version === version);

  // 4.4: a policy without rules makes its scope exist, but a role policy without rules does not.
  const withRules = set.rolePolicies.filter(({ rules }) => rules.length > 0);
  const chain = scopeChain(new Set([...set.resourcePolicies, ...withRules].map(({ scope }) => scope)), requestedScope, options);
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
      // 4.5, row order: what role policies deny comes first.
      return [...roleRows(policyAt(scope), rolePoliciesHere, kind, action, roles), ...resourceRows(policyAt(scope), action, roles)];
    },
    policyAt,
  };
}
