/** One round of the event loop: what many requests bring at once is done when all of them have been read. */

/** What is to be done for one request; it may not throw. */
export type Work = () => void;

/** How many milliseconds the first of a round may wait for others, if they keep coming. */
const longestWait = 2;

/** When a round ends: with `setImmediate` when the event loop has read what had arrived, with `nextTick` when what runs now has run. */
export type Plan = (end: () => void) => void;

/** Told when a round has been done: how many works it had, and when the first of them was given, in milliseconds. */
export type Ended = (works: number, firstAt: number) => void;

/** How rounds are held. */
export interface RoundsOptions {
  /**
   * Whether the end of a round with more than one work is planned once more as long as more came since it was planned: whoever
   * has just been answered asks again while others are read, and would find the next round begun without him.
   */
  readonly gathers?: boolean;
  readonly ended?: Ended;
  /** The clock, in milliseconds. */
  readonly now?: () => number;
}

/**
 * Opens rounds: work is done in the order in which it was given, when the round ends. The processor is faster at the same
 * thing again, and answers that are sent one right after the other wake their reader once.
 */
export function openRounds(
  plan: Plan,
  { gathers = false, ended, now = () => performance.now() }: RoundsOptions = {},
): (work: Work) => void {
  let waiting: Work[] = [];
  let firstAt = 0;
  let isPlanned = false;
  let given = 0;
  /** How many had been given when the end was planned; one alone waits for nobody. */
  let known = 1;

  const doAll = (): void => {
    const all = waiting;
    waiting = [];
    for (const work of all) work();
  };
  const end = (): void => {
    if (gathers && given > known && now() - firstAt < longestWait) {
      known = given;
      return plan(end);
    }
    isPlanned = false;
    const [works, since] = [given, firstAt]; // work may give work
    given = 0;
    known = 1;
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
