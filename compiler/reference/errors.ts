/** Orders the errors of one decision. */
import type { EvaluationError } from "../../runtime/decide/decision.ts";

/** Returns the errors in the order of audit entries: without duplicates, by expression, then by message (semantics 4.9). */
export function sortErrors(errors: readonly EvaluationError[]): readonly EvaluationError[] {
  const unique = new Map(errors.map((error) => [JSON.stringify([error.expression, error.message]), error]));
  return [...unique.values()].toSorted((a, b) => order(a.expression, b.expression) || order(a.message, b.message));
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
