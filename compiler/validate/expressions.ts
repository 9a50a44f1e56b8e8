/** The parts of a policy that rules look at, whatever its type: rules with their names, conditions, expressions. */
import type { ConditionNode, ExpressionNode, PolicyDocument, VariableNode } from "../policy/document.ts";
import { automaticActionName, automaticRuleName } from "../policy/names.ts";
import { attributeCalls } from "./attribute-calls.ts";
import type { Imports, NamedRule, Subject } from "./rule.ts";

/** Lists the rules of a policy in source order. */
function rulesOf(document: PolicyDocument): readonly NamedRule[] {
  switch (document.kind) {
    case "resource":
      return document.rules.map(({ name, ...rule }, index) => ({ ...rule, name: name?.value ?? automaticRuleName(index + 1) }));
    case "principal":
      return document.rules.flatMap(({ resource, actions }) =>
        actions.map(({ name, action, ...rule }, index) => ({
          ...rule,
          actions: [action],
          name: name?.value ?? automaticActionName(resource.value, index + 1),
        })),
      );
    case "role":
      return document.rules.map(({ name, allowActions, ...rule }, index) => ({
        ...rule,
        actions: allowActions,
        name: name?.value ?? automaticRuleName(index + 1),
      }));
    case "derivedRoles":
    case "exportVariables":
    case "exportConstants":
      return [];
  }
}

/** Lists the variables that a policy defines itself. */
export function variablesOf(document: PolicyDocument): readonly VariableNode[] {
  if (document.kind === "exportVariables") return document.definitions;
  return "variables" in document ? [...document.variables.local, ...document.variables.deprecated] : [];
}

const leavesOf = (condition: ConditionNode): readonly ExpressionNode[] =>
  condition.kind === "expression" ? [condition.expression] : condition.of.flatMap(leavesOf);

/** Takes a policy apart. */
export function subjectOf(document: PolicyDocument, imports: Imports): Subject {
  const rules = rulesOf(document);
  const holders = document.kind === "derivedRoles" ? document.definitions : rules;
  const leaves = holders.flatMap(({ condition }) => (condition === undefined ? [] : leavesOf(condition)));
  const outputs = rules.flatMap(({ output }) =>
    output === undefined ? [] : [output.ruleActivated, output.conditionNotMet, output.unused].filter((each) => each !== undefined),
  );
  const deciding = [...leaves, ...outputs];
  const expressions = [...variablesOf(document).map(({ expression }) => expression), ...deciding];
  return { document, ...imports, rules, leaves, deciding, expressions, attributeCalls: expressions.flatMap(attributeCalls) };
}
