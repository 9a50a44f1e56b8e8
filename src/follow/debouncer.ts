/** Debounces announcements: a burst of them leads to one call, made after a quiet period, or when the burst lasts too long. */

/** The timing of a debouncer, in milliseconds. */
export interface DebouncerOptions {
  /** The quiet period after which a burst ends. */
  readonly quietMilliseconds: number;
  /** The longest time that the first announcement waits. */
  readonly longestWaitMilliseconds: number;
  readonly run: () => void;
}

/** A debouncer. */
export interface Debouncer {
  readonly announce: () => void;
  /**
   * Reports how many changes the last call handled, and how many milliseconds it took. While changes are frequent, later bursts are
   * waited for longer, so that many changes cost little more than one.
   */
  readonly worked: (changes: number, milliseconds: number) => void;
  /** Cancels a pending call and ignores further announcements. */
  readonly close: () => void;
}

/** More recent changes than this (decayed with `halfLife`, in milliseconds) count as frequent. */
const many = 15;
const halfLife = 500;
/** After this number of milliseconds without work, the backoff is reset. */
const calm = 1000;
/**
 * The longest quiet period. Polled stores announce at every poll, without knowing of a change, so the quiet period must fit between two
 * polls.
 */
const longestQuiet = 250;
/** The longest wait: a change must be in force within seconds, however many follow. */
const maxWait = 2000;
/**
 * Continuous work leaves at least this many times its own duration free in between, up to `maxWait`, and never less than its
 * duration.
 */
const restFactor = 4;

/** Opens a debouncer. */
export function openDebouncer({ quietMilliseconds, longestWaitMilliseconds, run }: DebouncerOptions): Debouncer {
  let timer: NodeJS.Timeout | undefined;
  let since = 0;
  let closed = false;
  /** The recent changes, decayed; and how many calls in a row were made while changes were frequent. */
  let heat = 0;
  let row = 0;
  let workedAt = -Infinity;
  let cost = 0;
  return {
    announce: () => {
      if (closed) return;
      const now = performance.now();
      if (timer === undefined) {
        since = now;
        if (now - workedAt > calm) row = cost = 0;
      } else clearTimeout(timer);
      const ends = (): void => {
        timer = undefined;
        run();
      };
      const quiet = Math.min(quietMilliseconds * 2 ** row, longestQuiet);
      const longest = Math.max(Math.min(Math.max(longestWaitMilliseconds * 2 ** row, restFactor * cost), maxWait), cost);
      timer = setTimeout(ends, Math.min(quiet, Math.max(0, since + longest - now)));
    },
    worked: (changes, milliseconds) => {
      const now = performance.now();
      heat = heat * 2 ** ((workedAt - now) / halfLife) + changes;
      row = heat > many ? row + 1 : 0;
      workedAt = now;
      cost = milliseconds;
    },
    close: () => {
      closed = true;
      clearTimeout(timer);
    },
  };
}
