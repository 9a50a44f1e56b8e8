/** Evaluates conditions and variables with the interpreter (semantics 5.2). */
import type { EvaluationContext } from "../cel/declare.ts";
import { EvalError, unreachable } from "../cel/error.ts";
import { describe } from "../cel/evaluate/describe.ts";
import { evaluate, type Bindings, type StepCount } from "../cel/evaluate/evaluate.ts";
import { exhausted } from "../cel/evaluate/scope.ts";
import type { Value } from "../cel/value.ts";
import type { CompiledExpression, Condition, Variable, WhenFailed } from "./condition.ts";
import type { EvaluationError } from "./decision.ts";

/** Receives an error. */
export type OnError = (error: EvaluationError) => void;

/**
 * Evaluates an expression. Returns undefined if it fails, after reporting the error. Pass the same `steps` for all
 * leaves of one condition.
 */
export type Evaluating = (
  expression: CompiledExpression,
  bindings: Bindings,
  context: EvaluationContext,
  onError: OnError,
  steps?: StepCount,
) => Value | undefined;

/**
 * Whether a condition is true. A leaf that fails or is not `true` counts as false. If the step limit is exceeded, the
 * whole condition is false, whatever surrounds that leaf (D46).
 */
export function evaluateCondition(
  condition: Condition,
  bindings: Bindings,
  context: EvaluationContext,
  onError: OnError,
  evaluating: Evaluating = evaluateReporting,
): boolean {
  const steps: StepCount = { taken: 0 };
  if (condition.kind === "expression")
    return evaluating(condition.expression, bindings, context, onError, steps) === true && !exhausted(steps);
  const holds = (part: Condition): boolean => {
    switch (part.kind) {
      case "expression":
        return evaluating(part.expression, bindings, context, onError, steps) === true;
      case "all":
        return part.of.every(holds);
      case "any":
        return part.of.some(holds);
      case "none":
        return !part.of.some(holds);
      default:
        return unreachable(part);
    }
  };
  return holds(condition) && !exhausted(steps);
}

/**
 * Evaluates variables in order; each sees those before it. A failed one stays unset, or is null if `whenFailed` says
 * so. `bindingsWith` receives the map of values, which grows, and returns the bindings.
 */
export function evaluateVariables(
  variables: readonly Variable[],
  bindingsWith: (soFar: ReadonlyMap<string, Value>) => Bindings,
  context: EvaluationContext,
  onError: OnError,
  whenFailed: WhenFailed = "unset",
  evaluating: Evaluating = evaluateReporting,
): ReadonlyMap<string, Value> {
  const soFar = new Map<string, Value>();
  const bindings = bindingsWith(soFar);
  for (const { name, expression } of variables) {
    const value = evaluating(expression, bindings, context, onError);
    if (value !== undefined) soFar.set(name, value);
    else if (whenFailed === "null") soFar.set(name, null);
  }
  return soFar;
}

/** Evaluates with the interpreter. */
export const evaluateReporting: Evaluating = (expression, bindings, context, onError, steps) => {
  const value = evaluate(expression.tree, bindings, context, steps);
  if (!(value instanceof EvalError)) return value;
  onError(nameError(expression, value));
  return undefined;
};

/** The last error of each expression. */
const last = new WeakMap<CompiledExpression, EvaluationError>();

/**
 * Words the error of an expression and adds its range in the text. Returns the same object as before if nothing
 * changed, so that it is serialised only once.
 */
export function nameError(expression: CompiledExpression, error: EvalError): EvaluationError {
  const message = describe(error);
  const known = last.get(expression);
  if (known?.message === message && known.part?.start === error.place?.tree.start && known.part?.end === error.place?.tree.end)
    return known;
  const named = nameAnew(expression, message, error);
  last.set(expression, named);
  return named;
}

function nameAnew({ text }: CompiledExpression, message: string, { place }: EvalError): EvaluationError {
  if (place === undefined) return { expression: text, message };
  const { start, end } = place.tree;
  return { expression: text, message, part: { start, end } };
}
