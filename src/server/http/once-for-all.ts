/** Runs work once for all who ask for it at the same time: a client may ask a thousand times in one packet. */

/**
 * Returns a function that runs the work, or shares a run. Whoever asks while it runs shares the next run, which begins after that: a result
 * is never older than the question.
 */
export function onceForAll<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  let next: Promise<T> | undefined;
  const run = (): Promise<T> => {
    next = undefined;
    running = work();
    const ended = (): void => void (running = undefined);
    void running.then(ended, ended);
    return running;
  };
  return () => {
    if (running === undefined) return run();
    return (next ??= running.then(run, run));
  };
}
