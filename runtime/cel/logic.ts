/** Three-valued logic: what `&&` and `||` make of terms that are true, false, or something else. */
import { EvalError, evalError } from "./error.ts";
import type { Value } from "./value.ts";

/** What a term came to; anything but a boolean counts as an error. */
type Term = Value | EvalError;

/** Returns a term's boolean, or its error; a value that is no boolean is the error `no such overload`. */
export const truth = (term: Term): boolean | EvalError =>
  typeof term === "boolean" || term instanceof EvalError ? term : evalError("no such overload");

/**
 * Combines terms where one boolean decides (false for `&&`, true for `||`): CEL spec, "Logical operators".
 * The deciding value wins even beside an error, wherever it stands; else the first error; else the other boolean.
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

/** `a && b && ...`: terms are taken one by one, until one is false. */
export const and = (terms: Iterable<Term>): boolean | EvalError => decide(false, terms);

/** `a || b || ...`: terms are taken one by one, until one is true. */
export const or = (terms: Iterable<Term>): boolean | EvalError => decide(true, terms);

/** `!a`. */
export function not(term: Term): boolean | EvalError {
  const value = truth(term);
  return typeof value === "boolean" ? !value : value;
}
