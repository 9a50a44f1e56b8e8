/**
 * The limit on the loop steps of one evaluation (D46): `engine.maxEvaluationSteps` during a check, otherwise the
 * default.
 */

/** The default limit. */
export const defaultStepLimit = 1_000_000;

/** The smallest allowed limit. A loop that needs no more steps can never exceed the limit. */
export const minStepLimit = 10_000;

/** The largest allowed limit; before reaching it, a check exhausts its work budget. */
export const maxStepLimit = 100_000_000;

/** Whether a value is a valid limit. */
export const isStepLimit = (steps: unknown): steps is number =>
  Number.isInteger(steps) && Number(steps) >= minStepLimit && Number(steps) <= maxStepLimit;

// Module state is safe: checks run synchronously, one at a time.
let most = defaultStepLimit;

/** The current limit. */
export const stepLimit = (): number => most;

/** Runs a check under another limit; `steps` must be at least `minStepLimit`. */
export function withStepLimit<T>(steps: number, run: () => T): T {
  const before = most;
  most = steps;
  try {
    return run();
  } finally {
    most = before;
  }
}
