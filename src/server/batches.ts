/** Batches work by turns of the event loop: what arrives with several requests at once is done when all of them have been read. */

/** The work to do for one request; it must not throw. */
export type Work = () => void;

/** How many milliseconds the first work of a batch may wait for more, if more keeps arriving. */
const longestWait = 2;

/**
 * Schedules the end of a batch: `setImmediate` ends it when the event loop has read what had arrived, `nextTick` when the running code
 * has finished.
 */
export type ScheduleEnd = (end: () => void) => void;

/** Called when a batch is done, with the number of works in it, and when the first was added, in milliseconds. */
export type BatchEnded = (works: number, firstAt: number) => void;

/** Options of batches. */
export interface BatchOptions {
  readonly ended?: BatchEnded;
  /**
   * A batch of at least this many works is extended by one more turn of the event loop. Under load, the clients that were woken last by
   * the previous responses have sent requests meanwhile, and are answered in the same batch; with few clients it would only add a turn.
   */
  readonly extendsFrom?: number;
  /** The clock, in milliseconds. */
  readonly now?: () => number;
}

/**
 * Returns a function that adds work to the current batch. At its end, the works run in the order in which they were added. Batching is
 * faster because the processor's caches are warm for the same code, and because responses written in succession wake a client once.
 */
export function openBatches(
  schedule: ScheduleEnd,
  { ended, extendsFrom = Infinity, now = () => performance.now() }: BatchOptions = {},
): (work: Work) => void {
  let waiting: Work[] = [];
  let firstAt = 0;
  let isScheduled = false;
  let isExtended = false;
  let given = 0;

  const doAll = (): void => {
    const all = waiting;
    waiting = [];
    for (const work of all) work();
  };
  const end = (): void => {
    if (given >= extendsFrom && !isExtended && now() - firstAt < longestWait / 2) {
      isExtended = true;
      return schedule(end);
    }
    isExtended = false;
    isScheduled = false;
    const [works, since] = [given, firstAt]; // `doAll` may add work
    given = 0;
    doAll();
    ended?.(works, since);
  };
  return (work) => {
    given += 1;
    if (waiting.push(work) === 1) firstAt = now();
    else if (now() - firstAt > longestWait) return doAll();
    if (isScheduled) return;
    isScheduled = true;
    schedule(end);
  };
}
