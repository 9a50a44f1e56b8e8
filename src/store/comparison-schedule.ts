/**
 * Decides how often a whole directory is compared, because watchers miss changes: rarely where that takes long, often where not
 * everything is watched.
 */
import { unwatchedMilliseconds, type Watchers } from "./watchers.ts";

/** What is compared, and at what interval. */
export interface ComparisonScheduleOptions {
  readonly pollMilliseconds: number;
  readonly watchers: Pick<Watchers, "watchesAll" | "reportsAll">;
  readonly compareAll: () => void;
}

/** The schedule of comparisons. */
export interface ComparisonSchedule {
  /** Restarts the pause until the next comparison. */
  readonly schedule: () => void;
  /** Reports that a reading begins, and whether it compares everything. */
  readonly begin: (everything: boolean) => void;
  /** Reports that the reading has ended. */
  readonly end: () => void;
  readonly close: () => void;
}

/**
 * If everything is watched, comparisons take at most this share of the time; less where the system reports every change. Comparing
 * 36,000 files takes a third of a second.
 */
const shareOfTime = { reported: 1 / 400, unreported: 1 / 100 } as const;
/** The pause is extended to at most this multiple of `pollMilliseconds`. */
const longestPause = 6;

/** Opens the schedule; no comparison is planned yet. */
export function openComparisonSchedule({ pollMilliseconds, watchers, compareAll }: ComparisonScheduleOptions): ComparisonSchedule {
  let timer: NodeJS.Timeout | undefined;
  /** When the current comparison began, and how many milliseconds the last one took. */
  let comparing: number | undefined;
  let compared = 0;
  const pause = (): number => {
    if (!watchers.watchesAll()) return Math.min(pollMilliseconds, unwatchedMilliseconds);
    const share = shareOfTime[watchers.reportsAll() ? "reported" : "unreported"];
    return Math.min(Math.max(pollMilliseconds, compared / share), pollMilliseconds * longestPause);
  };
  const schedule = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      compareAll();
      schedule();
    }, pause()).unref();
  };
  return {
    schedule,
    begin: (everything) => void (comparing = everything ? performance.now() : undefined),
    end: () => {
      if (comparing !== undefined) compared = performance.now() - comparing;
      comparing = undefined;
    },
    close: () => clearTimeout(timer),
  };
}
