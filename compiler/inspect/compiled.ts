/**
 * Inspects compiled policies: linked ones, and rows of a table. Imports are merged by then, so the sources of
 * definitions are unknown.
 */
import { EvalError } from "../../runtime/cel/error.ts";
import { toJson } from "../../runtime/cel/to-json.ts";
import type { CompiledExpression, Condition } from "../../runtime/decide/condition.ts";
import type { Definitions, PolicySet } from "../link/policy-set.ts";
import { patternOf } from "../table/patterns.ts";
import type { DecisionTable } from "../table/table.ts";
import type { InspectedPolicy, Inspection } from "./inspection.ts";
import { attributesByKind, resultOf } from "./lists.ts";
import { readsOf } from "./reads.ts";

/** Inspects each linked policy. Of its variables and constants it lists those that are used. */
export function inspectPolicySet(set: PolicySet): Inspection {
  return Object.fromEntries([
    ...set.resourcePolicies.map((policy) => {
      const rules = policy.rules.map(({ condition, output }) => [condition, output?.ruleActivated, output?.conditionNotMet]);
      const actions = policy.rules.flatMap((rule) => rule.actions);
      return [policy.key, compiledResult({ ...policy, actions, rules }, isUsed)] as const;
    }),
    ...[...set.principalPolicies, ...set.rolePolicies].map((policy) => {
      const rules = policy.rules.map(({ condition, output }) => [condition, output?.ruleActivated, output?.conditionNotMet]);
      const actions = policy.rules.flatMap((rule) => ("action" in rule ? [rule.action] : rule.allowActions));
      return [policy.key, compiledResult({ ...policy, derivedRoles: [], actions, rules }, isUsed)] as const;
    }),
  ]);
}

/** Inspects each policy of a table. */
export function inspectTable({ units }: DecisionTable): Inspection {
  return Object.fromEntries(
    units.flatMap(({ scopes }) =>
      scopes.map((scope) => {
        const rules = scope.rows.map(({ condition, output }) => [condition, output?.met, output?.notMet]);
        const actions = scope.rows.flatMap((row) => row.actions.map(patternOf));
        return [scope.key, compiledResult({ ...scope, actions, rules }, {})] as const;
      }),
    ),
  );
}

const isUsed = { used: true } as const;

interface Compiled extends Definitions {
  readonly key: string;
  readonly actions: readonly string[];
  readonly rules: readonly (readonly (Condition | CompiledExpression | undefined)[])[];
  readonly derivedRoles: readonly (Definitions & { readonly name: string; readonly condition?: Condition })[];
}

function compiledResult(
  { key, actions, rules, derivedRoles, variables, constants }: Compiled,
  used: { readonly used?: true },
): InspectedPolicy {
  const expressions = [
    ...rules.flat().flatMap(expressionsIn),
    ...derivedRoles.flatMap((role) => [...expressionsIn(role.condition), ...role.variables.map(({ expression }) => expression)]),
    ...variables.map(({ expression }) => expression),
  ];
  return resultOf(key, {
    actions,
    derivedRoles: derivedRoles.map(({ name }) => ({ name, kind: "KIND_IMPORTED" })),
    attributes: attributesByKind(expressions.map(({ tree }) => readsOf(tree))),
    variables: variables.map(({ name, expression }) => ({ name, value: expression.text, kind: "KIND_UNKNOWN", ...used })),
    constants: constants.map(({ name, value }) => {
      const json = toJson(value);
      return { name, ...(!(json instanceof EvalError) && { value: json }), kind: "KIND_UNKNOWN", ...used };
    }),
  });
}

function expressionsIn(part: Condition | CompiledExpression | undefined): readonly CompiledExpression[] {
  if (part === undefined) return [];
  if (!("kind" in part)) return [part];
  return part.kind === "expression" ? [part.expression] : part.of.flatMap(expressionsIn);
}
