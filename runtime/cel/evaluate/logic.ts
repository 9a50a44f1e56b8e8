/** `a && b && c` and `a || b || c`: terms are evaluated as they are asked for, none after the one that decides. */
import type { Logic } from "../ast.ts";
import { EvalError } from "../error.ts";
import type { Value } from "../value.ts";
import { refused } from "./place.ts";
import type { Scope, Visit } from "./scope.ts";

/**
 * One boolean decides (false for `&&`, true for `||`), even beside an error, wherever it stands: CEL spec, "Logical
 * operators". Else the first error is the answer; what is no boolean is an error.
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
