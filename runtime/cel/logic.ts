/** The logic of `&&`, `||` and `!` over terms that are true, false, an error, or no boolean. */
import { EvalError, evalError } from "./error.ts";
import type { Value } from "./value.ts";

/** The value of a term; anything but a boolean counts as an error. */
type Term = Value | EvalError;

/** Returns the term if it is a boolean or an error; otherwise `no such overload`. */
export const truth = (term: Term): boolean | EvalError =>
  typeof term === "boolean" || term instanceof EvalError ? term : evalError("no such overload");

/**
 * Combines terms (CEL spec, "Logical operators"). `deciding` is false for `&&`, true for `||`. The deciding value
 * wins even if another term is an error, in any order; otherwise the first error is the result; otherwise the
 * opposite of `deciding`.
 */
function decide(deciding: boolean, terms: Iterable<Term>): boolean | EvalError {
  let failure: EvalError | undefined;
  for (const term of terms) {
    const value = truth(term);
    if (value === deciding) return deciding;
    if (value instanceof EvalError) failure ??= value;
  }
  return failure ?? !deciding;
}

/** `a && b && ...`. Evaluates terms in order until one is false. */
export const and = (terms: Iterable<Term>): boolean | EvalError => decide(false, terms);

/** `a || b || ...`. Evaluates terms in order until one is true. */
export const or = (terms: Iterable<Term>): boolean | EvalError => decide(true, terms);

/** `!a`. */
export function not(term: Term): boolean | EvalError {
  const value = truth(term);
  return typeof value === "boolean" ? !value : value;
}
