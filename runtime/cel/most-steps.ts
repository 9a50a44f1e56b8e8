/** The limit of steps that all loops of one evaluation may take together (D46): `engine.maxEvaluationSteps` within a check, else the default. */

/** In force where nobody said otherwise. */
export const usualMostSteps = 1_000_000;

/** The lowest bound there may be: what takes no more turns of loops than that is known not to be an error. */
export const lowestMostSteps = 10_000;

/** The highest bound there may be: before so many steps, a check has cost all that it may. */
export const highestMostSteps = 100_000_000;

/** Whether this can be a bound. */
export const isMostSteps = (steps: unknown): steps is number =>
  Number.isInteger(steps) && Number(steps) >= lowestMostSteps && Number(steps) <= highestMostSteps;

// One check runs at a time and never waits, so what is in force needs no handing down.
let most = usualMostSteps;

/** The bound that is in force. */
export const mostSteps = (): number => most;

/** Runs a check within another bound, `lowestMostSteps` at least. */
export function withMostSteps<T>(steps: number, run: () => T): T {
  const before = most;
  most = steps;
  try {
    return run();
  } finally {
    most = before;
  }
}
