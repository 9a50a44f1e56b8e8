/**
 * Collects the parts of a policy that validation rules examine, whatever the policy's type: rules with their names,
 * conditions, expressions.
 */
import type {
  ConditionNode,
  ExpressionNode,
  PolicyDocument,
  PrincipalActionNode,
  RoleRuleNode,
  RuleNode,
  VariableNode,
} from "../policy/document.ts";
import { automaticActionName, automaticRuleName } from "../policy/names.ts";
import { attributeCalls } from "./attribute-calls.ts";
import type { Imports, NamedRule, Subject } from "./rule.ts";

/** Returns the rules of a policy in source order. */
function rulesOf(document: PolicyDocument): readonly NamedRule[] {
  switch (document.kind) {
    case "resource":
      return document.rules.map((rule, index) => named(rule, automaticRuleName(index + 1), rule.actions, rule.effect));
    case "principal":
      return document.rules.flatMap(({ resource, actions }) =>
        actions.map((rule, index) => named(rule, automaticActionName(resource.value, index + 1), [rule.action], rule.effect)),
      );
    case "role":
      return document.rules.map((rule, index) => named(rule, automaticRuleName(index + 1), rule.allowActions, undefined));
    case "derivedRoles":
    case "exportVariables":
    case "exportConstants":
      return [];
  }
}

type AnyRule = RuleNode | PrincipalActionNode | RoleRuleNode;

const named = (
  { name, condition, output, span, path }: AnyRule,
  automaticName: string,
  actions: NamedRule["actions"],
  effect: NamedRule["effect"],
): NamedRule => ({ name: name?.value ?? automaticName, effect, actions, condition, output, span, path });

/** Returns the variables that a policy defines itself. */
export function variablesOf(document: PolicyDocument): readonly VariableNode[] {
  if (document.kind === "exportVariables") return document.definitions;
  return "variables" in document ? [...document.variables.local, ...document.variables.deprecated] : [];
}

const leavesOf = (condition: ConditionNode): readonly ExpressionNode[] =>
  condition.kind === "expression" ? [condition.expression] : condition.of.flatMap(leavesOf);

/** Returns the subject of validation: a policy, its imports and its parts. */
export function subjectOf(document: PolicyDocument, imports: Imports): Subject {
  const rules = rulesOf(document);
  const holders = document.kind === "derivedRoles" ? document.definitions : rules;
  const leaves = holders.flatMap(({ condition }) => (condition === undefined ? [] : leavesOf(condition)));
  const outputs = rules.flatMap(({ output }) =>
    output === undefined ? [] : [output.ruleActivated, output.conditionNotMet, output.unused].filter((each) => each !== undefined),
  );
  const deciding = [...leaves, ...outputs];
  const expressions = [...variablesOf(document).map(({ expression }) => expression), ...deciding];
  const { derivedRoles, variables, constants } = imports;
  return {
    document,
    derivedRoles,
    variables,
    constants,
    rules,
    leaves,
    deciding,
    expressions,
    attributeCalls: expressions.flatMap(attributeCalls),
  };
}
