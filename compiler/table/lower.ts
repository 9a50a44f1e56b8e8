/** Turns linked policies into a decision table. After this, syntax is gone. */
import { invariant } from "../../runtime/cel/error.ts";
import { byUnits } from "../../runtime/order.ts";
import type { DerivedRole, PolicySet, ResourcePolicy, Rule } from "../link/policy-set.ts";
import type { DecisionTable, DerivedRoleRow, Match, Row, ScopeTable, UnitTable } from "./table.ts";

/** One unit for each policy name and version, ordered by id; its scopes in order of their names. */
export function lower(set: PolicySet): DecisionTable {
  const units = new Map<string, readonly ResourcePolicy[]>();
  for (const policy of set.resourcePolicies) {
    const id = unitId(policy);
    units.set(id, [...(units.get(id) ?? []), policy]);
  }
  return { units: [...units].toSorted(([left], [right]) => byUnits(left, right)).map(([id, policies]) => lowerUnit(id, policies)) };
}

const unitId = (policy: ResourcePolicy): string => `resource ${policy.name}@${policy.version}`;

function lowerUnit(id: string, policies: readonly ResourcePolicy[]): UnitTable {
  const [first] = policies;
  invariant(first !== undefined, "a unit is made from its policies");
  const scopes = policies.map(lowerPolicy).toSorted((left, right) => byUnits(left.scope, right.scope));
  return { id, type: "resource", name: first.name, version: first.version, scopes };
}

function lowerPolicy(policy: ResourcePolicy): ScopeTable {
  const indexes = new Map(policy.derivedRoles.map((role, index) => [role.name, index]));
  return {
    scope: policy.scope,
    key: policy.key,
    span: policy.span,
    variables: policy.variables,
    constants: policy.constants,
    derivedRoles: policy.derivedRoles.map(lowerDerivedRole),
    // INVARIANT: rows keep source order, because the order of evaluation decides which errors are met.
    rows: policy.rules.map((rule) => lowerRule(rule, indexes)),
  };
}

const lowerDerivedRole = ({ parentRoles, ...role }: DerivedRole): DerivedRoleRow => ({ ...role, parents: parentRoles.map(matchOf) });

function lowerRule(rule: Rule, indexes: ReadonlyMap<string, number>): Row {
  return {
    rule: rule.name,
    actions: rule.actions.map(matchOf),
    roles: rule.roles.map(matchOf),
    derivedRoles: rule.derivedRoles.map((name) => {
      const index = indexes.get(name);
      invariant(index !== undefined, "link() lists every derived role that a rule names");
      return index;
    }),
    effect: rule.effect,
    ...(rule.condition && { condition: rule.condition }),
    span: rule.span,
  };
}

/** Returns what a pattern matches: it is a glob only if it contains `*` (semantics 4.2). */
export function matchOf(pattern: string): Match {
  if (pattern === "*") return { kind: "any" };
  return pattern.includes("*") ? { kind: "glob", pattern } : { kind: "exact", value: pattern };
}
