/** Holds an error back for a grace period, and reports it only if it persists: a file that is being written is broken for a moment. */

/** An error that was found and not reported yet. */
export interface GracePeriod<T> {
  /** Holds an error back; returns the one held before, which has been superseded. */
  readonly hold: (trouble: T) => T | undefined;
  /** Returns the error that is held, and drops it. */
  readonly take: () => T | undefined;
  readonly isEmpty: () => boolean;
}

/** Opens a holder. `lasts` is called with the error that is held when `milliseconds` have passed since the first of a row. */
export function openGracePeriod<T>(milliseconds: number, lasts: (trouble: T) => void): GracePeriod<T> {
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
