/** Batches work by turns of the event loop: what arrives with several requests at once is done when all of them have been read. */

/** What is to be done for one request; it may not throw. */
export type Work = () => void;

/** How many milliseconds the first of a round may wait for others, if they keep coming. */
const longestWait = 2;

/** When a round ends: with `setImmediate` when the event loop has read what had arrived, with `nextTick` when what runs now has run. */
export type Plan = (end: () => void) => void;

/** Told when a round has been done: how many works it had, and when the first of them was given, in milliseconds. */
export type Ended = (works: number, firstAt: number) => void;

/** What else rounds do. */
export interface RoundOptions {
  readonly ended?: Ended;
  /**
   * A round of so many is planned once more before it ends. Where many ask, those whom the last answers woke late have asked
   * meanwhile, and need not wait until the others are answered; where few do, it would only be one more turn.
   */
  readonly gathersFrom?: number;
  /** The clock, in milliseconds. */
  readonly now?: () => number;
}

/**
 * Opens rounds: work is done in the order in which it was given, when the round ends. The processor is faster at the same
 * thing again, and answers that are sent one right after the other wake their reader once.
 */
export function openRounds(
  plan: Plan,
  { ended, gathersFrom = Infinity, now = () => performance.now() }: RoundOptions = {},
): (work: Work) => void {
  let waiting: Work[] = [];
  let firstAt = 0;
  let isPlanned = false;
  let hasGathered = false;
  let given = 0;

  const doAll = (): void => {
    const all = waiting;
    waiting = [];
    for (const work of all) work();
  };
  const end = (): void => {
    if (given >= gathersFrom && !hasGathered && now() - firstAt < longestWait / 2) {
      hasGathered = true;
      return plan(end);
    }
    hasGathered = false;
    isPlanned = false;
    const [works, since] = [given, firstAt]; // work may give work
    given = 0;
    doAll();
    ended?.(works, since);
  };
  return (work) => {
    given += 1;
    if (waiting.push(work) === 1) firstAt = now();
    else if (now() - firstAt > longestWait) return doAll();
    if (isPlanned) return;
    isPlanned = true;
    plan(end);
  };
}
