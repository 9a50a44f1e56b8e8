/** The reference interpreter. It defines what a CEL expression means; simple rather than fast. */
import type { Expression } from "../ast.ts";
import type { EvaluationContext } from "../declare.ts";
import { EvalError, evalError, unreachable } from "../error.ts";
import type { Value } from "../value.ts";
import { work } from "../work.ts";
import { evaluateCall } from "./call.ts";
import { evaluateBind, evaluateOptionalMap } from "./bind.ts";
import { evaluateList, evaluateMap } from "./literals.ts";
import { evaluateLogic } from "./logic.ts";
import { evaluateLoop } from "./loops.ts";
import { resolveName } from "./names.ts";
import { placed } from "./place.ts";
import { exhausted, type Bindings, type Recorder, type Run, type Scope, type StepCount } from "./scope.ts";
import { evaluateSelect } from "./select.ts";
import { tooManySteps } from "./loop-state.ts";

export type { Bindings, StepCount } from "./scope.ts";

/**
 * Evaluates a tree, checked or not. Errors are returned, with their place; `describe` words them. Pass the same
 * `steps` for all expressions of one condition: they share the limit.
 */
export function evaluate(
  tree: Expression,
  bindings: Bindings,
  context: EvaluationContext,
  steps: StepCount = { taken: 0 },
  recorder?: Recorder,
): Value | EvalError {
  const run: Run = { bindings, context, steps, recorder, exhaustedBy: undefined };
  const result = visit(tree, { names: undefined, run });
  // D46: exceeding the step limit is an error even if `||` absorbed it.
  return exhausted(steps) ? (run.exhaustedBy ?? placed(tooManySteps(), tree)) : result;
}

function visit(tree: Expression, scope: Scope): Value | EvalError {
  work(6);
  const { recorder } = scope.run;
  recorder?.enter(tree);
  const found = evaluateNode(tree, scope);
  const outcome = found instanceof EvalError ? placed(found, tree) : found;
  recorder?.leave(outcome);
  return outcome;
}

function evaluateNode(tree: Expression, scope: Scope): Value | EvalError {
  switch (tree.kind) {
    case "literal":
      return tree.value;
    case "identifier":
      return resolveName(tree, scope, visit);
    case "select":
      return evaluateSelect(tree, scope, visit);
    case "call":
      return evaluateCall(tree, scope, visit);
    case "logic":
      return evaluateLogic(tree, scope, visit);
    case "list":
      return evaluateList(tree, scope, visit);
    case "map":
      return evaluateMap(tree, scope, visit);
    case "loop":
      return evaluateLoop(tree, scope, visit);
    case "bind":
      return evaluateBind(tree, scope, visit);
    case "optionalMap":
      return evaluateOptionalMap(tree, scope, visit);
    case "struct":
      return evalError("no such overload", `no message named ${tree.name}`);
    default:
      return unreachable(tree);
  }
}
