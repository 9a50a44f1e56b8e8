/** A serial queue: each piece of work starts when all before it have ended, successfully or not. */

/** A queue of work. */
export interface SerialQueue {
  /** Runs work after all earlier work. Its failure only affects its own caller. */
  readonly inTurn: <T>(work: () => T | Promise<T>) => Promise<T>;
  /** Resolves when all work that was added so far has ended. */
  readonly ended: () => Promise<unknown>;
}

/** Opens an empty queue. */
export function openSerialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve();
  return {
    inTurn: (work) => {
      const done = last.then(work);
      last = done.catch(() => undefined); // the caller gets the error
      return done;
    },
    ended: () => last,
  };
}
