/** How often everything in a folder is compared, because no watcher sees everything: seldom where that takes long, often where not everything is watched. */
import { blindMilliseconds, type Watchers } from "./watchers.ts";

/** What is compared, and how often at most. */
export interface ComparingOptions {
  readonly pollMilliseconds: number;
  readonly watchers: Pick<Watchers, "seesAll" | "tellsAll">;
  readonly compareAll: () => void;
}

/** Everything, compared again and again. */
export interface Comparing {
  /** Begins a pause; what was planned is forgotten. */
  readonly schedule: () => void;
  /** What begins now compares everything, or does not. */
  readonly begin: (everything: boolean) => void;
  /** What has begun has ended. */
  readonly end: () => void;
  readonly close: () => void;
}

/** Where all is watched, comparing everything takes no more than this share of the time, and less where the system tells of each change: of 36,000 files it is work for a third of a second. */
const shareOfComparing = { told: 1 / 400, untold: 1 / 100 } as const;
/** But it is put off to so many times the usual pause at most. */
const longestPause = 6;

/** Opens it; nothing is planned yet. */
export function openComparing({ pollMilliseconds, watchers, compareAll }: ComparingOptions): Comparing {
  let timer: NodeJS.Timeout | undefined;
  /** When everything began to be compared, and how long that took the last time. */
  let comparing: number | undefined;
  let compared = 0;
  const pause = (): number => {
    if (!watchers.seesAll()) return Math.min(pollMilliseconds, blindMilliseconds);
    const share = shareOfComparing[watchers.tellsAll() ? "told" : "untold"];
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
