/** Attaches to an error the expression where it happened. Nothing is printed here: most errors are absorbed unread. */
import type { Expression } from "../ast.ts";
import { EvalError } from "../error.ts";
import type { Value } from "../value.ts";

const none: readonly Value[] = [];

/** The same error, at a place; the place that it has already is nearer to the cause and stays. */
export const placed = (error: EvalError, tree: Expression, operands: readonly Value[] = none): EvalError =>
  error.place === undefined ? new EvalError(error.kind, error.message, { tree, operands, turns: none }) : error;

/** The error of a sub-expression whose value is no boolean, or else of no use to the operator or macro that asked for it. */
export const refused = (tree: Expression, value: Value, asker: string, detail?: string): EvalError =>
  new EvalError("no such overload", detail === undefined ? "no such overload" : `no such overload: ${detail}`, {
    tree,
    operands: [value],
    asker,
    turns: none,
  });

/** The same error, as it leaves one turn of a loop: the turn is told where the place is inside of the loop. */
export function inTurn({ kind, message, place }: EvalError, key: Value): EvalError {
  if (place === undefined) return new EvalError(kind, message);
  const { inside = 0, turns } = place;
  return new EvalError(kind, message, inside > 0 ? { ...place, inside: inside - 1 } : { ...place, turns: [key, ...turns] });
}

/** The error of a lazy name, as it is met by a reader with so many loops around it that are not around the name. */
export function readWithin({ kind, message, place }: EvalError, loops: number): EvalError {
  return new EvalError(kind, message, place && { ...place, inside: (place.inside ?? 0) + loops });
}
