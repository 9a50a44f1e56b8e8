/** Serialises conditions and variables as compact JSON trees; `runtime/decide/trees.ts` parses them. */
import type { Expression, MapEntry } from "../../runtime/cel/ast.ts";
import { unreachable } from "../../runtime/cel/error.ts";
import type { CompiledExpression, Condition } from "../../runtime/decide/condition.ts";
import type { ConditionJson, NamesJson, Question, QuestionJson, TreeJson, UnitTreesJson } from "../../runtime/decide/trees.ts";
import type { Definitions } from "../link/policy-set.ts";
import type { UnitTable } from "../table/table.ts";
import { writeConstant } from "./constant.ts";

/** Serialises all questions of a unit. */
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
    case "output":
      return [question.kind, question.policy, ...writeExpression(question.expression)];
  }
}

/** Serialises variables and constants. */
const writeNames = ({ variables, constants }: Definitions): NamesJson => ({
  v: variables.map(({ name, expression }) => [name, ...writeExpression(expression)]),
  c: constants.map(({ name, value }) => [name, writeConstant(value)]),
});

/** Serialises a condition. */
function writeCondition(condition: Condition): ConditionJson {
  return condition.kind === "expression"
    ? ["e", ...writeExpression(condition.expression)]
    : [condition.kind, ...condition.of.map(writeCondition)];
}

/** Serialises an expression with its text and node positions. */
function writeExpression({ text, tree }: CompiledExpression): readonly [text: string, tree: TreeJson, places: readonly number[]] {
  const places: number[] = [];
  return [text, writeTree(tree, places), places];
}

/** Serialises one expression; appends start and end of each node to `places`, in the order of the output. */
export function writeTree(tree: Expression, places: number[]): TreeJson {
  const write = (part: Expression): TreeJson => writeTree(part, places);
  places.push(tree.start, tree.end);
  switch (tree.kind) {
    case "literal":
      return ["v", writeConstant(tree.value)];
    case "identifier":
      return [tree.absolute === true ? "I" : "i", tree.name];
    case "select":
      return [tree.test === true ? "h" : tree.optional === true ? "?" : "s", write(tree.operand), tree.field];
    case "call":
      if (tree.overload !== undefined) {
        return tree.target === undefined
          ? ["F", tree.function, tree.overload, ...tree.args.map(write)]
          : ["M", tree.function, tree.overload, write(tree.target), ...tree.args.map(write)];
      }
      return tree.target === undefined
        ? ["f", tree.function, ...tree.args.map(write)]
        : ["m", tree.function, write(tree.target), ...tree.args.map(write)];
    case "logic":
      return [tree.operator === "&&" ? "&" : "|", ...tree.terms.map(write)];
    case "list":
      return ["l", tree.optionals, ...tree.elements.map(write)];
    case "map":
      return ["o", ...tree.entries.map((entry) => writeEntry(entry, places))];
    case "struct":
      return ["x", tree.name];
    case "bind":
      return ["b", tree.name, write(tree.init), write(tree.body)];
    case "optionalMap":
      return ["q", tree.flat, tree.variable, write(tree.target), write(tree.body)];
    case "loop":
      return [
        "L",
        tree.macro,
        tree.variables,
        write(tree.range),
        write(tree.body),
        ...(tree.filter === undefined ? [] : [write(tree.filter)]),
      ];
    default:
      return unreachable(tree);
  }
}

function writeEntry({ key, value, optional, start, end }: MapEntry, places: number[]): readonly unknown[] {
  places.push(start, end);
  return [writeTree(key, places), writeTree(value, places), optional];
}
