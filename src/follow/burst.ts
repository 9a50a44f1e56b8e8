/** Debounces announcements: a burst of them becomes one call, made after a moment of quiet, or when the burst goes on for too long. */

/** How long a burst is waited for, in milliseconds. */
export interface BurstOptions {
  /** After so long without an announcement the burst is over. */
  readonly settle: number;
  /** A burst that goes on for so long is not waited for any longer. */
  readonly patience: number;
  readonly run: () => void;
}

/** Something that is announced again and again. */
export interface Burst {
  readonly announce: () => void;
  /** What was called had so many changes to work on, and that took so many milliseconds: when many go on to come, the next are waited for longer, so that all cost little more than one. */
  readonly worked: (changes: number, milliseconds: number) => void;
  /** Nothing is called any more. */
  readonly close: () => void;
}

/** So many changes in half a second are not made one by one: more of them are on their way. */
const many = 15;
const halfLife = 500;
/** After so long without work what comes next is something new. */
const calm = 1000;
/** Stores that are asked again and again announce without knowing of anything: they must find it quiet in between. */
const mostSettle = 250;
/** What is there must be in force within seconds, however much is on its way. */
const mostPatience = 2000;
/** Work that never ends leaves so many times the time that it takes, as far as patience goes, and at least as much. */
const rest = 4;

/** Opens one that nobody has announced yet. */
export function openBurst({ settle, patience, run }: BurstOptions): Burst {
  let timer: NodeJS.Timeout | undefined;
  let since = 0;
  let closed = false;
  /** Changes of late, fading; and how often work was done while they were many. */
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
      const quiet = Math.min(settle * 2 ** row, mostSettle);
      const longest = Math.max(Math.min(Math.max(patience * 2 ** row, rest * cost), mostPatience), cost);
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
