/** A serial queue: work of which each piece begins when all before it have ended, well or not. */

/** Where work waits for its turn. */
export interface SerialQueue {
  /** Does a piece of work when its turn has come. Whether it fails concerns its caller alone, not the work behind it. */
  readonly inTurn: <T>(work: () => T | Promise<T>) => Promise<T>;
  /** Resolves when all that has been given so far has ended. */
  readonly ended: () => Promise<unknown>;
}

/** Opens a queue in which nothing waits. */
export function openSerialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve();
  return {
    inTurn: (work) => {
      const done = last.then(work);
      last = done.catch(() => undefined); // who gave it is told
      return done;
    },
    ended: () => last,
  };
}
