/** The reference interpreter: what a CEL expression means, one node at a time. Slow and plain on purpose. */
import type { Expression } from "../ast.ts";
import type { EvaluationContext } from "../declare.ts";
import { EvalError, evalError, unreachable } from "../error.ts";
import { and, or } from "../logic.ts";
import type { Value } from "../value.ts";
import { work } from "../work.ts";
import { evaluateCall } from "./call.ts";
import { evaluateBind, evaluateOptionalMap } from "./bind.ts";
import { evaluateList, evaluateMap } from "./literals.ts";
import { evaluateLoop } from "./loops.ts";
import { resolveName } from "./names.ts";
import { exhausted, tooManySteps, type Bindings, type Scope, type Steps } from "./scope.ts";
import { evaluateSelect } from "./select.ts";

export type { Bindings, Steps } from "./scope.ts";

/** Evaluates a tree, checked or not. An error is an answer like any other. Expressions of one condition share their steps. */
export function evaluate(tree: Expression, bindings: Bindings, context: EvaluationContext, steps: Steps = { taken: 0 }): Value | EvalError {
  const scope: Scope = { lookup: bindings, outermost: bindings, context, steps };
  const result = visit(tree, scope);
  // D46: an evaluation that cost too much is an error, even where `||` had absorbed it.
  return exhausted(scope.steps) ? tooManySteps : result;
}

function visit(tree: Expression, scope: Scope): Value | EvalError {
  work(16);
  const result = evaluateNode(tree, scope);
  return result instanceof EvalError && result.at === undefined ? new EvalError(result.kind, result.message, tree.id) : result;
}

function evaluateNode(tree: Expression, scope: Scope): Value | EvalError {
  switch (tree.kind) {
    case "literal":
      return tree.value;
    case "identifier":
      return resolveName(tree.name, tree.absolute === true ? scope.outermost : scope.lookup);
    case "select":
      return evaluateSelect(tree, scope, visit);
    case "call":
      return evaluateCall(tree, scope, visit);
    case "logic":
      return tree.operator === "&&" ? and(terms(tree.terms, scope)) : or(terms(tree.terms, scope));
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

/** Terms are evaluated as they are asked for: none after the one that decides. */
function* terms(trees: readonly Expression[], scope: Scope): Iterable<Value | EvalError> {
  for (const tree of trees) yield visit(tree, scope);
}
