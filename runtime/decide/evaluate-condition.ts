/** What a condition and a policy's variables come to, by the interpreter (semantics 5.2). */
import type { EvaluationContext } from "../cel/declare.ts";
import { EvalError, unreachable } from "../cel/error.ts";
import { describe } from "../cel/evaluate/describe.ts";
import { evaluate, type Bindings, type StepCount } from "../cel/evaluate/evaluate.ts";
import { exhausted } from "../cel/evaluate/scope.ts";
import type { Value } from "../cel/value.ts";
import type { CompiledExpression, Condition, Variable, WhenFailed } from "./condition.ts";
import type { EvaluationError } from "./decision.ts";

/** Is told an error. */
export type OnError = (error: EvaluationError) => void;

/** Evaluates one expression of a condition, whose leaves share their steps, or of a variable; undefined where it fails, which it reports. */
export type Evaluating = (
  expression: CompiledExpression,
  bindings: Bindings,
  context: EvaluationContext,
  onError: OnError,
  steps?: StepCount,
) => Value | undefined;

/**
 * Says whether a condition holds. A leaf that fails, or comes to anything but true, is false where it stands; a
 * condition that costs too many steps does not hold, whatever stands around the leaf that spent them (D46).
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
 * Evaluates variables in their order, each with those before it; one that fails stays unset, or counts as null.
 * `bindingsWith` makes the bindings in which V holds what there is so far.
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

/** What each expression failed with last. */
const last = new WeakMap<CompiledExpression, EvaluationError>();

/** Says of an expression that failed why, and where in its text: the same object as long as it says the same, so that it is written once. */
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
