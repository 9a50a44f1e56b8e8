/** Names every error that the conditions and variables of one input met (semantics 4.9, D43). */
import { withSpareWork, work } from "../cel/work.ts";
import { byUnits } from "../order.ts";
import type { Condition } from "./condition.ts";
import type { EvaluationError } from "./decision.ts";
import type { Query } from "./query.ts";
import { type Case, answer, reportVariables } from "./questions.ts";
import type { Question } from "./trees.ts";

/**
 * Answers once more, with the interpreter, what the query was asked: unique errors, by expression, then message. Naming
 * them has an account of its own, one for the whole check; what was not found when it is used up is missing, and the decision stands.
 */
export function evaluationErrors(of: Case, query: Query): readonly EvaluationError[] {
  const found = new Map<string, EvaluationError>();
  const onError = (error: EvaluationError): void => {
    found.set(JSON.stringify([error.expression, error.message]), error);
  };
  withSpareWork(() => {
    work(of.trees.questions.length / questionsOfUnit);
    const considered = new Set<number>();
    of.trees.questions.forEach((question, index) => {
      if (!query.wasAsked(index)) return;
      if (question.kind === "policy" || question.kind === "rule") considered.add(question.policy);
      if (of.strict || !query.hasHeld(index) || mayHide(of, question)) answer(of, question, onError, onError);
    });
    for (const policy of considered) reportVariables(of, policy, onError);
  });
  return sortErrors(found.values());
}

/** Says whether a condition that held can have met an error all the same: beside a part that held, or in a variable. */
function mayHide(of: Case, question: Question): boolean {
  if (question.kind === "rule") return hidesParts(question.condition);
  if (question.kind === "policy" || question.kind === "output") return false;
  const role = of.trees.policies[question.policy]?.derivedRoles[question.role];
  return role?.condition !== undefined && (role.variables.length > 0 || hidesParts(role.condition));
}

const hidesParts = (condition: Condition): boolean =>
  condition.kind !== "expression" && (condition.kind !== "all" || condition.of.some(hidesParts));

/** Questions that a unit of work looks at. */
const questionsOfUnit = 4;

/** Sorts errors by expression, then message. */
export const sortErrors = (errors: Iterable<EvaluationError>): readonly EvaluationError[] =>
  [...errors].sort((left, right) => byUnits(left.expression, right.expression) || byUnits(left.message, right.message));
