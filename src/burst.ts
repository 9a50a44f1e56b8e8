/** Many announcements that follow each other closely -> one call: when they have been quiet for a moment, or when they go on for too long. */

/** How long is waited, in milliseconds. */
export interface BurstOptions {
  /** Quiet for so long: it is over. */
  readonly settle: number;
  /** It goes on for so long: it is not waited for. */
  readonly patience: number;
  readonly run: () => void;
}

/** Something that is announced again and again. */
export interface Burst {
  readonly announce: () => void;
  /** Nothing is called any more. */
  readonly close: () => void;
}

/** Opens one that nobody has announced yet. */
export function openBurst({ settle, patience, run }: BurstOptions): Burst {
  let timer: NodeJS.Timeout | undefined;
  let since = 0;
  let closed = false;
  return {
    announce: () => {
      if (closed) return;
      const now = performance.now();
      if (timer === undefined) since = now;
      else clearTimeout(timer);
      const ends = (): void => {
        timer = undefined;
        run();
      };
      timer = setTimeout(ends, Math.min(settle, Math.max(0, since + patience - now)));
    },
    close: () => {
      closed = true;
      clearTimeout(timer);
    },
  };
}
