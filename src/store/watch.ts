/**
 * Watches a directory, and reports which paths below it may have changed. Watchers only trigger readings; slow polling covers what they
 * miss.
 */
import { openComparisonSchedule } from "./comparison-schedule.ts";
import { identityOf, isText, type Entering, type Tree } from "./tree.ts";
import { openWatchers, type WatchPath } from "./watchers.ts";

/** A directory that is watched. */
export interface FolderWatcher {
  /** Returns the paths that were touched since the last call, or "everything" when all must be compared. */
  readonly takeTouched: () => "everything" | ReadonlySet<string>;
  /**
   * Starts watching a directory, or the target of a link. Called before it is listed or examined, so that no change is missed in
   * between.
   */
  readonly entering: Entering;
  /** Stops all watching until the root is entered again: it is gone or unreadable. */
  readonly lose: () => void;
  /** Stops watching what is not in a tree. */
  readonly keep: (tree: Tree) => void;
  /** Returns how many notifications have arrived so far. */
  readonly eventCount: () => number;
  /** Returns remarks about watching, each once. */
  readonly takeRemarks: () => readonly string[];
  readonly close: () => void;
}

/** What is watched, and the callback. */
export interface WatchOptions {
  /** An absolute path. */
  readonly root: string;
  /** How often everything is compared. */
  readonly pollMilliseconds: number;
  readonly changed: () => void;
  /** How a directory or file is watched; by default `fs.watch`. */
  readonly watch?: WatchPath;
}

/**
 * The interval at which the identity of the directory is checked: swapping a link that leads to it, or mounting over it, produces no
 * notification.
 */
const identityCheckMilliseconds = 500;
/** The kernel's queue drops events silently when it is full; this many events in a short time are taken as a sign of that. */
const maxEvents = 2000;

/** Starts watching; `changed` is called once at first, because earlier changes are unknown. */
export function watchFolder({ root, pollMilliseconds, changed, watch }: WatchOptions): FolderWatcher {
  let touched = new Set<string>();
  let everything = true;
  let events = 0;
  let eventCount = 0;
  /** The identity of the watched directory; undefined while there is none. */
  let identity: string | undefined;
  let remarks: string[] = [];
  let closed = false;

  const compareAll = (): void => {
    eventCount++;
    everything = true;
    changed();
  };
  const touch = (path: string): void => {
    eventCount++;
    if (++events > maxEvents) everything = true;
    else touched.add(path);
    // The path may be another directory of that name now; whoever lists it will watch the new one.
    if (watchers.has(path)) watchers.dropBelow(path);
    changed();
  };
  const heard = (folder: string, event: string, name: string | null): void => {
    if (name === null) return touch(folder);
    // Kubernetes swaps the links `..data` and `..<time>`, behind which all files lie.
    if (name.startsWith("..")) {
      watchers.dropLinks();
      return compareAll();
    }
    if (name.startsWith(".")) return;
    const path = folder === "" ? name : `${folder}/${name}`;
    // Changes of other files, such as a log, are ignored.
    if (event === "change" && !isText(path) && !watchers.has(path) && !watchers.isUnwatched(path)) return;
    touch(path);
  };
  const watchers = openWatchers({
    root,
    open: watch,
    heard,
    touched: touch,
    remark: (message) => void remarks.push(message),
    unwatched: () => comparisons.schedule(), // sooner than planned
  });
  const comparisons = openComparisonSchedule({ pollMilliseconds, watchers, compareAll });
  comparisons.schedule();

  const identityNow = (): string | undefined => {
    try {
      return identityOf(root);
    } catch {
      return undefined;
    }
  };
  const lose = (): void => {
    identity = undefined;
    watchers.dropAll();
  };
  const pulse = setInterval(() => {
    if (identity === identityNow()) return;
    lose();
    compareAll();
  }, identityCheckMilliseconds).unref();
  setImmediate(() => void (closed || changed()));

  return {
    takeTouched: () => {
      const taken = everything ? ("everything" as const) : touched;
      comparisons.begin(everything);
      everything = false;
      events = 0;
      touched = new Set();
      return taken;
    },
    entering: (path) => {
      if (path === "") {
        const now = identityNow();
        if (now !== identity) watchers.dropAll(); // what is watched is elsewhere now
        identity = now;
      }
      watchers.add(path);
    },
    lose,
    keep: ({ folders, entries }) => {
      comparisons.end();
      watchers.keepOnly((path) => folders.has(path) || entries.has(path));
    },
    eventCount: () => eventCount,
    takeRemarks: () => {
      const taken = remarks;
      remarks = [];
      return taken;
    },
    close: () => {
      closed = true;
      comparisons.close();
      clearInterval(pulse);
      watchers.close();
    },
  };
}
