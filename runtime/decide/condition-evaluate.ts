/** What a condition and a policy's variables come to, by the interpreter (semantics 5.2). */
import type { EvaluationContext } from "../cel/declare.ts";
import { EvalError, unreachable } from "../cel/error.ts";
import { evaluate } from "../cel/evaluate/evaluate.ts";
import type { Bindings } from "../cel/evaluate/evaluate.ts";
import type { Value } from "../cel/value.ts";
import type { CompiledExpression, Condition, Variable } from "./condition.ts";
import type { EvaluationError } from "./decision.ts";

/** Says whether a condition holds. A leaf that fails, or comes to anything but true, is false where it stands. */
export function evaluateCondition(
  condition: Condition, bindings: Bindings, context: EvaluationContext, onError: (error: EvaluationError) => void,
): boolean {
  const holds = (part: Condition): boolean => evaluateCondition(part, bindings, context, onError);
  switch (condition.kind) {
    case "expression": return evaluateReporting(condition.expression, bindings, context, onError) === true;
    case "all":        return condition.of.every(holds);
    case "any":        return condition.of.some(holds);
    case "none":       return !condition.of.some(holds);
    default:           return unreachable(condition);
  }
}

/**
 * Evaluates variables in their order, each with those before it; one that fails stays unset, or is `whenFailed`.
 * `bindingsWith` makes the bindings in which V holds what there is so far.
 */
export function evaluateVariables(
  variables: readonly Variable[],
  bindingsWith: (soFar: ReadonlyMap<string, Value>) => Bindings,
  context: EvaluationContext,
  onError: (error: EvaluationError) => void,
  whenFailed?: Value,
): ReadonlyMap<string, Value> {
  const soFar = new Map<string, Value>();
  const bindings = bindingsWith(soFar);
  for (const { name, expression } of variables) {
    const found = evaluateReporting(expression, bindings, context, onError);
    const value = found === undefined ? whenFailed : found;
    if (value !== undefined) soFar.set(name, value);
  }
  return soFar;
}

function evaluateReporting(
  expression: CompiledExpression, bindings: Bindings, context: EvaluationContext, onError: (error: EvaluationError) => void,
): Value | undefined {
  const value = evaluate(expression.tree, bindings, context);
  if (!(value instanceof EvalError)) return value;
  onError({ expression: expression.text, message: value.message });
  return undefined;
}
