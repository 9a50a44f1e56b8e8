/** Whether a condition holds, and which errors it met on the way (semantics 5.2 and 5.3). */
import type { Bindings } from "../../runtime/cel/evaluate/evaluate.ts";
import type { Condition } from "../../runtime/decide/condition.ts";
import { evaluateCondition } from "../../runtime/decide/evaluate-condition.ts";
import type { EvaluationError } from "../../runtime/decide/decision.ts";
import type { Evaluation } from "./activation.ts";

/** What a condition came to. */
export interface Held {
  readonly holds: boolean;
  readonly errors: readonly EvaluationError[];
}

/** Evaluates a condition; none at all is true. Under strict evaluation the first error ends it. */
export function evaluateHolding(condition: Condition | undefined, bindings: Bindings, { context, options, onError }: Evaluation): Held {
  if (condition === undefined) return { holds: true, errors: [] };
  const met: EvaluationError[] = [];
  const holds = evaluateCondition(condition, bindings, context, (error) => met.push(error));
  const errors = options.strictEvaluation ? met.slice(0, 1) : met;
  errors.forEach(onError);
  return { holds, errors };
}

/** Names the expressions because of which a condition is not met. */
export function unmet(condition: Condition, bindings: Bindings, { context }: Pick<Evaluation, "context">): readonly string[] {
  const ignore = (): void => undefined; // errors are told beside the outcome
  const holds = (part: Condition): boolean => evaluateCondition(part, bindings, context, ignore);
  if (holds(condition)) return [];
  switch (condition.kind) {
    case "expression":
      return [condition.expression.text];
    case "all":
    case "any":
      return condition.of.flatMap((part) => unmet(part, bindings, { context }));
    case "none":
      return condition.of
        .filter(holds)
        .map((part) => (part.kind === "expression" ? `not: ${part.expression.text}` : `not: ${part.kind} of`));
  }
}

/** Says whether an error takes the place of an answer (semantics 5.3). */
export const failed = ({ errors }: Held, { options }: Evaluation): boolean => options.strictEvaluation && errors.length > 0;
