/**
 * Attaches to an error the expression where it happened. Nothing is formatted here, because most errors are absorbed
 * unread.
 */
import type { Expression } from "../ast.ts";
import { EvalError } from "../error.ts";
import type { Value } from "../value.ts";

const none: readonly Value[] = [];

/** Returns the error with a place. An existing place is closer to the cause and stays. */
export const placed = (error: EvalError, tree: Expression, operands: readonly Value[] = none): EvalError =>
  error.place === undefined ? new EvalError(error.kind, error.message, { tree, operands, iterations: none }) : error;

/** The error of a sub-expression whose value the operator or macro `asker` cannot use; without `detail`: not a boolean. */
export const refused = (tree: Expression, value: Value, asker: string, detail?: string): EvalError =>
  new EvalError("no such overload", detail === undefined ? "no such overload" : `no such overload: ${detail}`, {
    tree,
    operands: [value],
    asker,
    iterations: none,
  });

/** Adds the loop iteration to an error that leaves the loop, if it happened inside. */
export function inTurn({ kind, message, place }: EvalError, key: Value): EvalError {
  if (place === undefined) return new EvalError(kind, message);
  const { inside = 0, iterations } = place;
  return new EvalError(kind, message, inside > 0 ? { ...place, inside: inside - 1 } : { ...place, iterations: [key, ...iterations] });
}

/** Marks the error of a lazy variable that is read inside `loops` loops that do not contain its definition. */
export function readWithin({ kind, message, place }: EvalError, loops: number): EvalError {
  return new EvalError(kind, message, place && { ...place, inside: (place.inside ?? 0) + loops });
}
