/** Holds trouble back for a grace period, and tells it only when it has lasted: a file that is being written is broken for a moment. */

/** Trouble that was met and not told yet. */
export interface Holding<T> {
  /** Keeps it until it has lasted; returns what was kept before, which has passed. */
  readonly hold: (trouble: T) => T | undefined;
  /** Returns what is kept, and keeps it no longer. */
  readonly take: () => T | undefined;
  readonly isEmpty: () => boolean;
}

/** Opens an empty one; `lasts` is told of what was not taken in time, counted from the first of a row. */
export function openHolding<T>(milliseconds: number, lasts: (trouble: T) => void): Holding<T> {
  let held: { readonly trouble: T } | undefined;
  let timer: NodeJS.Timeout | undefined;
  const take = (): T | undefined => {
    const taken = held?.trouble;
    held = undefined;
    clearTimeout(timer);
    return taken;
  };
  return {
    hold: (trouble) => {
      const before = held?.trouble;
      if (held === undefined)
        timer = setTimeout(() => {
          const lasting = take();
          if (lasting !== undefined) lasts(lasting);
        }, milliseconds);
      held = { trouble };
      return before;
    },
    take,
    isEmpty: () => held === undefined,
  };
}
