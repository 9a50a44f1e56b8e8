/** Evaluates `a && b && c` and `a || b || c` from left to right, up to the first term that decides. */
import type { Logic } from "../ast.ts";
import { EvalError } from "../error.ts";
import type { Value } from "../value.ts";
import { refused } from "./place.ts";
import type { Scope, Visit } from "./scope.ts";

/**
 * The deciding boolean (false for `&&`, true for `||`) wins even if an earlier term failed (CEL spec, "Logical
 * operators"). Otherwise the first error is the result. A term that is no boolean is an error.
 */
export function evaluateLogic(tree: Logic, scope: Scope, visit: Visit): Value | EvalError {
  const deciding = tree.operator === "||";
  let failure: EvalError | undefined;
  for (const term of tree.terms) {
    const value = visit(term, scope);
    if (value === deciding) return deciding;
    if (typeof value !== "boolean") failure ??= value instanceof EvalError ? value : refused(term, value, tree.operator);
  }
  return failure ?? !deciding;
}
