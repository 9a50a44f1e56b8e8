/** Names every error that the conditions and variables of one input met (semantics 4.9, D43). */
import { withSpareWork, work } from "../cel/work.ts";
import { byUnits } from "../order.ts";
import type { Condition } from "./condition.ts";
import type { EvaluationError } from "./decision.ts";
import type { Query } from "./query.ts";
import { type Case, answer, reportVariables } from "./questions.ts";
import type { Question, UnitTrees } from "./trees.ts";

/**
 * Answers once more, with the interpreter, what the query was asked: unique errors, by expression, then message. Naming
 * them has an account of its own, one for the whole check; what was not found when it is used up is missing, and the decision stands.
 */
export function evaluationErrors(of: Case, query: Query): readonly EvaluationError[] {
  const { trees, strict } = of;
  const found = new UniqueErrors();
  const onError = (error: EvaluationError): void => found.add(error);
  withSpareWork(() => {
    const { questions } = trees;
    work(questions.length / questionsOfUnit);
    const hiding = hidingIn(trees);
    const considered = new Set<number>();
    for (let index = 0; index < questions.length; index++) {
      const question = questions[index];
      if (question === undefined || !query.wasAsked(index)) continue;
      if (question.kind === "policy" || question.kind === "rule") considered.add(question.policy);
      if (strict || !query.hasHeld(index) || hiding[index] === true) answer(of, question, onError, onError);
    }
    for (const policy of considered) reportVariables(of, policy, onError);
  });
  return found.sorted();
}

/** Errors by what the caller is told of them. */
class UniqueErrors {
  /** By expression; few expressions fail in more than one way. */
  private readonly byExpression = new Map<string, EvaluationError[]>();

  add(error: EvaluationError): void {
    const alike = this.byExpression.get(error.expression);
    if (alike === undefined) {
      this.byExpression.set(error.expression, [error]);
      return;
    }
    const at = alike.findIndex(({ message }) => message === error.message);
    if (at < 0) alike.push(error);
    else alike[at] = error;
  }
  sorted(): readonly EvaluationError[] {
    if (this.byExpression.size === 0) return none;
    const all: EvaluationError[] = [];
    for (const alike of this.byExpression.values()) for (const error of alike) all.push(error);
    return all.length === 1 ? all : sortErrors(all);
  }
}

const none: readonly EvaluationError[] = Object.freeze([]);

const remembered = new WeakMap<UnitTrees, readonly boolean[]>();

/** Of each question of a unit: see `mayHide`. */
function hidingIn(trees: UnitTrees): readonly boolean[] {
  const known = remembered.get(trees);
  if (known !== undefined) return known;
  const hiding = trees.questions.map((question) => mayHide(trees, question));
  remembered.set(trees, hiding);
  return hiding;
}

/** Says whether a condition that held can have met an error all the same: beside a part that held, or in a variable. */
function mayHide(trees: UnitTrees, question: Question): boolean {
  if (question.kind === "rule") return hidesParts(question.condition);
  if (question.kind === "policy" || question.kind === "output") return false;
  const role = trees.policies[question.policy]?.derivedRoles[question.role];
  return role?.condition !== undefined && (role.variables.length > 0 || hidesParts(role.condition));
}

const hidesParts = (condition: Condition): boolean =>
  condition.kind !== "expression" && (condition.kind !== "all" || condition.of.some(hidesParts));

/** Questions that a unit of work looks at. */
const questionsOfUnit = 4;

/** Sorts errors by expression, then message. */
export const sortErrors = (errors: Iterable<EvaluationError>): readonly EvaluationError[] =>
  [...errors].sort((left, right) => byUnits(left.expression, right.expression) || byUnits(left.message, right.message));
