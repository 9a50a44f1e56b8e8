/** Writes conditions and variables as compact JSON trees; `runtime/decide/trees.ts` reads them. */
import type { Expression } from "../../runtime/cel/ast.ts";
import { unreachable } from "../../runtime/cel/error.ts";
import type { Condition } from "../../runtime/decide/condition.ts";
import type { ConditionJson, NamesJson, Question, QuestionJson, TreeJson, UnitTreesJson } from "../../runtime/decide/trees.ts";
import type { Definitions } from "../link/policy-set.ts";
import type { UnitTable } from "../table/table.ts";
import { writeConstant } from "./constant.ts";

/** Writes everything that a unit can ask. */
export function writeTrees(unit: UnitTable, questions: readonly Question[]): string {
  const trees: UnitTreesJson = {
    p: unit.scopes.map((policy) => ({
      ...writeNames(policy),
      d: policy.derivedRoles.map((role) => ({
        n: role.name,
        ...writeNames(role),
        ...(role.condition === undefined ? {} : { w: writeCondition(role.condition) }),
      })),
    })),
    q: questions.map(writeQuestion),
  };
  return JSON.stringify(trees);
}

function writeQuestion(question: Question): QuestionJson {
  switch (question.kind) {
    case "policy":
      return [question.kind, question.policy];
    case "rule":
      return [question.kind, question.policy, writeCondition(question.condition)];
    case "listed":
    case "matched":
    case "both":
      return [question.kind, question.policy, question.role];
  }
}

const writeNames = ({ variables, constants }: Definitions): NamesJson => ({
  v: variables.map(({ name, expression }) => [name, expression.text, writeTree(expression.tree)]),
  c: constants.map(({ name, value }) => [name, writeConstant(value)]),
});

function writeCondition(condition: Condition): ConditionJson {
  return condition.kind === "expression"
    ? ["e", condition.expression.text, writeTree(condition.expression.tree)]
    : [condition.kind, ...condition.of.map(writeCondition)];
}

/** Writes one expression. */
export function writeTree(tree: Expression): TreeJson {
  switch (tree.kind) {
    case "literal":
      return ["v", writeConstant(tree.value)];
    case "identifier":
      return [tree.absolute === true ? "I" : "i", tree.name];
    case "select":
      return [tree.test === true ? "h" : tree.optional === true ? "?" : "s", writeTree(tree.operand), tree.field];
    case "call":
      return tree.target === undefined
        ? ["f", tree.function, ...tree.args.map(writeTree)]
        : ["m", tree.function, writeTree(tree.target), ...tree.args.map(writeTree)];
    case "logic":
      return [tree.operator === "&&" ? "&" : "|", ...tree.terms.map(writeTree)];
    case "list":
      return ["l", tree.optionals, ...tree.elements.map(writeTree)];
    case "map":
      return ["o", ...tree.entries.map(({ key, value, optional }) => [writeTree(key), writeTree(value), optional])];
    case "struct":
      return ["x", tree.name];
    case "bind":
      return ["b", tree.name, writeTree(tree.init), writeTree(tree.body)];
    case "optionalMap":
      return ["q", tree.flat, tree.variable, writeTree(tree.target), writeTree(tree.body)];
    case "loop":
      return [
        "L",
        tree.macro,
        tree.variables,
        writeTree(tree.range),
        writeTree(tree.body),
        ...(tree.filter === undefined ? [] : [writeTree(tree.filter)]),
      ];
    default:
      return unreachable(tree);
  }
}
