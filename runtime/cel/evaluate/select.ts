/** Evaluates `a.b`, `has(a.b)` and `a.?b`. */
import type { Select } from "../ast.ts";
import { find, hasField, select } from "../access.ts";
import { EvalError } from "../error.ts";
import type { Value } from "../value.ts";
import { placed } from "./place.ts";
import type { Scope, Visit } from "./scope.ts";

/** Evaluates a selection. An error in the operand is the result, also for has(). */
export function evaluateSelect(tree: Select, scope: Scope, visit: Visit): Value | EvalError {
  const operand = visit(tree.operand, scope);
  if (operand instanceof EvalError) return operand;
  const result = tree.test ? hasField(operand, tree.field) : tree.optional ? find(operand, tree.field) : select(operand, tree.field);
  return result instanceof EvalError ? placed(result, tree, [operand]) : result;
}
