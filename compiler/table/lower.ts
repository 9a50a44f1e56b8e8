/** Lowers linked policies to a decision table. After this stage there is no syntax. */
import { invariant } from "../../runtime/cel/error.ts";
import type { PolicyType } from "../../runtime/decide/policy-name.ts";
import { byUnits } from "../../runtime/order.ts";
import type { DerivedRole, PolicySet, PrincipalPolicy, ResourcePolicy, RolePolicy, Schemas } from "../link/policy-set.ts";
import { lowerPrincipalRule, lowerResourceRule, lowerRoleRule } from "./lower-rules.ts";
import { numberPatterns } from "./patterns.ts";
import type { DecisionTable, DerivedRoleRow, ScopeTable, UnitTable } from "./table.ts";

/**
 * Lowers a policy set: one unit for each type, name and version of policy, ordered by id; its scopes in order of
 * their names.
 */
export const lower = (set: PolicySet): DecisionTable => ({ units: unitsOf(set).map(lowerUnit) });

/** The policies of one unit, all of one type, in the order of the set. */
export interface UnitPolicies {
  readonly id: string;
  readonly type: PolicyType;
  readonly policies: readonly [Lowerable, ...Lowerable[]];
}

/** A policy of a unit, with its type. */
export type Lowerable =
  | { readonly type: "resource"; readonly policy: ResourcePolicy }
  | { readonly type: "principal"; readonly policy: PrincipalPolicy }
  | { readonly type: "role"; readonly policy: RolePolicy };

/**
 * Returns the id of the unit that a policy belongs to. Principals and roles are compared as written, so two spellings are
 * two units, even if they have the same policy key.
 */
export const unitIdOf = ({ type, policy }: Lowerable): string =>
  `${type} ${type === "resource" ? policy.name : policy.writtenName}@${policy.version}`;

/** Groups the policies of a set by unit, ordered by id. */
export function unitsOf(set: PolicySet): readonly UnitPolicies[] {
  const units = new Map<string, { readonly id: string; readonly type: PolicyType; readonly policies: [Lowerable, ...Lowerable[]] }>();
  const add = (one: Lowerable): void => {
    const id = unitIdOf(one);
    const known = units.get(id);
    if (known === undefined) units.set(id, { id, type: one.type, policies: [one] });
    else known.policies.push(one);
  };
  for (const policy of set.resourcePolicies) add({ type: "resource", policy });
  for (const policy of set.principalPolicies) add({ type: "principal", policy });
  for (const policy of set.rolePolicies) add({ type: "role", policy });
  return Array.from(units.values()).sort((left, right) => byUnits(left.id, right.id));
}

/** Lowers the policies of one unit. */
export function lowerUnit({ id, type, policies }: UnitPolicies): UnitTable {
  const { name, writtenName, version } = policies[0].policy;
  const scopes = policies.map(lowerPolicy).sort((left, right) => byUnits(left.scope, right.scope));
  return { id, type, name, writtenName, version, scopes };
}

function lowerPolicy(one: Lowerable): ScopeTable {
  switch (one.type) {
    case "resource":
      return lowerResourcePolicy(one.policy);
    case "principal":
      return lowerPrincipalPolicy(one.policy);
    case "role":
      return lowerRolePolicy(one.policy);
  }
}

const noSchemas: Schemas = {};

function lowerResourcePolicy(policy: ResourcePolicy): ScopeTable {
  const patterns = numberPatterns();
  const indexes = new Map(policy.derivedRoles.map((role, index) => [role.name, index]));
  const derivedRoleNamed = (name: string): number => {
    const index = indexes.get(name);
    invariant(index !== undefined, "link() lists every derived role that a rule names");
    return index;
  };
  return {
    ...policyParts(policy),
    // INVARIANT: rows keep source order, because the order of evaluation decides which errors occur.
    rows: policy.rules.map((rule) => lowerResourceRule(rule, policy, patterns.number, derivedRoleNamed)),
    derivedRoles: policy.derivedRoles.map((role) => lowerDerivedRole(role, patterns.number)),
    patterns: patterns.all(),
    parentRoles: [],
    schemas: policy.schemas,
    ...consent(policy),
  };
}

/** What is taken of policies of all types as it is. */
const policyParts = ({ scope, key, span, variables, constants, sourceAttributes }: Lowerable["policy"]) => ({
  scope,
  key,
  span,
  variables,
  constants,
  sourceAttributes,
});

const lowerDerivedRole = (
  { name, origin, parentRoles, condition, variables, constants, span }: DerivedRole,
  number: (pattern: string) => number,
): DerivedRoleRow => ({ name, origin, parents: parentRoles.map(number), variables, constants, span, ...(condition && { condition }) });

const lowerPrincipalPolicy = (policy: PrincipalPolicy): ScopeTable => {
  const patterns = numberPatterns();
  return {
    ...policyParts(policy),
    rows: policy.rules.map((rule) => lowerPrincipalRule(rule, policy, patterns.number)),
    derivedRoles: [],
    patterns: patterns.all(),
    parentRoles: [],
    schemas: noSchemas,
    ...consent(policy),
  };
};

const lowerRolePolicy = (policy: RolePolicy): ScopeTable => {
  const patterns = numberPatterns();
  return {
    ...policyParts(policy),
    rows: policy.rules.map((rule) => lowerRoleRule(rule, policy, patterns.number)),
    derivedRoles: [],
    patterns: patterns.all(),
    parentRoles: policy.parentRoles,
    schemas: noSchemas,
  };
};

const consent = ({ scopePermissions }: ResourcePolicy | PrincipalPolicy): { readonly allowsNeedConsent?: true } =>
  scopePermissions === "require parental consent" ? { allowsNeedConsent: true } : {};
