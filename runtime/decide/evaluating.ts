/** Evaluates expressions to find their errors, only once for all inputs for which the result must be the same. */
import { EvalError } from "../cel/error.ts";
import { evaluate } from "../cel/evaluate/evaluate.ts";
import { exhausted } from "../cel/evaluate/scope.ts";
import type { CallerErrors } from "./caller-errors.ts";
import { type Evaluating, nameError } from "./evaluate-condition.ts";

/** Returns an evaluator for inputs of one caller. */
export const evaluatingFor =
  (callers: CallerErrors): Evaluating =>
  (expression, bindings, context, onError, steps) => {
    const { tree, closure } = expression;
    // If the step limit is exceeded already, the error comes from another leaf and must not be cached.
    const isCallers = expression.ofCaller === true && (steps === undefined || !exhausted(steps));
    const known = isCallers ? callers.ofExpressions : undefined;
    const before = known?.get(expression);
    if (before !== undefined) {
      if (before.error !== undefined) onError(before.error);
      return before.value;
    }
    const value = closure === undefined ? evaluate(tree, bindings, context, steps) : closure(bindings, context, steps);
    if (!(value instanceof EvalError)) {
      known?.set(expression, { value, error: undefined });
      return value;
    }
    const error = nameError(expression, value);
    known?.set(expression, { value: undefined, error });
    onError(error);
    return undefined;
  };
