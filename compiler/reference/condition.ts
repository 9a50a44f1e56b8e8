/** Evaluates conditions: whether they hold, and which errors occur (semantics 5.2 and 5.3). */
import type { Bindings } from "../../runtime/cel/evaluate/evaluate.ts";
import type { Condition } from "../../runtime/decide/condition.ts";
import { evaluateCondition } from "../../runtime/decide/evaluate-condition.ts";
import type { EvaluationError } from "../../runtime/decide/decision.ts";
import type { Evaluation } from "./activation.ts";

/** The result of a condition. */
export interface ConditionResult {
  readonly holds: boolean;
  readonly errors: readonly EvaluationError[];
}

/** Evaluates a condition; an absent one is true. Under strict evaluation the first error stops it. */
export function conditionResult(
  condition: Condition | undefined,
  bindings: Bindings,
  { context, options, onError }: Evaluation,
): ConditionResult {
  if (condition === undefined) return { holds: true, errors: [] };
  const met: EvaluationError[] = [];
  const holds = evaluateCondition(condition, bindings, context, (error) => met.push(error));
  const errors = options.strictEvaluation ? met.slice(0, 1) : met;
  errors.forEach(onError);
  return { holds, errors };
}

/** Returns the texts of the expressions because of which a condition does not hold. */
export function unmetExpressions(condition: Condition, bindings: Bindings, { context }: Pick<Evaluation, "context">): readonly string[] {
  const ignore = (): void => undefined; // errors were reported when the condition was evaluated
  const holds = (part: Condition): boolean => evaluateCondition(part, bindings, context, ignore);
  if (holds(condition)) return [];
  switch (condition.kind) {
    case "expression":
      return [condition.expression.text];
    case "all":
    case "any":
      return condition.of.flatMap((part) => unmetExpressions(part, bindings, { context }));
    case "none":
      return condition.of
        .filter(holds)
        .map((part) => (part.kind === "expression" ? `not: ${part.expression.text}` : `not: ${part.kind} of`));
  }
}

/** Whether an error replaces the result (semantics 5.3). */
export const failed = ({ errors }: ConditionResult, { options }: Evaluation): boolean => options.strictEvaluation && errors.length > 0;
