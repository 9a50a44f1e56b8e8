/** Collects the errors that one decision meets. */
import type { EvaluationError } from "../../runtime/decide/decision.ts";

/** The errors in the order in which audit entries list them: unique, by expression, then by message (semantics 4.9). */
export function sortErrors(errors: readonly EvaluationError[]): readonly EvaluationError[] {
  const unique = new Map(errors.map((error) => [JSON.stringify([error.expression, error.message]), error]));
  return [...unique.values()].toSorted((a, b) => order(a.expression, b.expression) || order(a.message, b.message));
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
