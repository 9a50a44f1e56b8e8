/** Watches a folder: says which files and folders below it may have changed. Only a trigger, never the truth; a slow poll covers what watchers miss. */
import { openComparing } from "./comparing.ts";
import { identityOf, isText, type Entering, type Tree } from "./tree.ts";
import { openWatchers, type WatchPath } from "./watchers.ts";

/** A folder that is being watched. */
export interface FolderWatcher {
  /** Returns the paths that were touched since the last call, or everything, when all must be compared. */
  readonly takeTouched: () => "everything" | ReadonlySet<string>;
  /** Watches a folder, or what a link leads to, from now on: called before it is listed or asked, so that nothing is missed between. */
  readonly entering: Entering;
  /** Watches nothing any more until it is entered: the folder is gone, or cannot be read. */
  readonly lose: () => void;
  /** Watches no longer what is not in a tree. */
  readonly keep: (tree: Tree) => void;
  /** How often anything has been seen to happen so far. */
  readonly stirs: () => number;
  /** Returns what is to be said about watching, once. */
  readonly takeRemarks: () => readonly string[];
  readonly close: () => void;
}

/** What is watched, and who is told. */
export interface WatchOptions {
  /** Absolute. */
  readonly root: string;
  /** How often everything is compared. */
  readonly pollMilliseconds: number;
  readonly changed: () => void;
  /** How a folder or a file is watched: the system's way unless said otherwise. */
  readonly watch?: WatchPath;
}

/** How often it is asked whether the folder is still the one that is watched: nobody is told when a link that leads to it is swapped, or when something is mounted over it. */
const pulseMilliseconds = 500;
/** A queue of the kernel that is full drops what comes, and says nothing: so many events are taken for one of those. */
const mostEvents = 2000;

/** Starts to watch; `changed` is called once at first, because nobody knows what changed before. */
export function watchFolder({ root, pollMilliseconds, changed, watch }: WatchOptions): FolderWatcher {
  let touched = new Set<string>();
  let everything = true;
  let events = 0;
  let stirs = 0;
  /** Of the folder that is watched; undefined while there is none. */
  let identity: string | undefined;
  let remarks: string[] = [];
  let closed = false;

  const compareAll = (): void => {
    stirs++;
    everything = true;
    changed();
  };
  const touch = (path: string): void => {
    stirs++;
    if (++events > mostEvents) everything = true;
    else touched.add(path);
    // It may be another one of that name: whoever lists it again watches that.
    if (watchers.has(path)) watchers.dropBelow(path);
    changed();
  };
  const heard = (folder: string, event: string, name: string | null): void => {
    if (name === null) return touch(folder);
    // Kubernetes swaps the links `..data` and `..<time>`, behind which files of any name lie.
    if (name.startsWith("..")) {
      watchers.dropLinks();
      return compareAll();
    }
    if (name.startsWith(".")) return;
    const path = folder === "" ? name : `${folder}/${name}`;
    // Something else that is written to all the time, such as a log, is nothing new.
    if (event === "change" && !isText(path) && !watchers.has(path) && !watchers.isBlind(path)) return;
    touch(path);
  };
  const watchers = openWatchers({
    root,
    open: watch,
    heard,
    touched: touch,
    remark: (message) => void remarks.push(message),
    blinded: () => comparing.schedule(), // sooner than was planned
  });
  const comparing = openComparing({ pollMilliseconds, watchers, compareAll });
  comparing.schedule();

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
  }, pulseMilliseconds).unref();
  setImmediate(() => void (closed || changed()));

  return {
    takeTouched: () => {
      const taken = everything ? ("everything" as const) : touched;
      comparing.begin(everything);
      everything = false;
      events = 0;
      touched = new Set();
      return taken;
    },
    entering: (path) => {
      if (path === "") {
        const now = identityNow();
        if (now !== identity) watchers.dropAll(); // what is watched is elsewhere
        identity = now;
      }
      watchers.add(path);
    },
    lose,
    keep: ({ folders, entries }) => {
      comparing.end();
      watchers.keepOnly((path) => folders.has(path) || entries.has(path));
    },
    stirs: () => stirs,
    takeRemarks: () => {
      const taken = remarks;
      remarks = [];
      return taken;
    },
    close: () => {
      closed = true;
      comparing.close();
      clearInterval(pulse);
      watchers.close();
    },
  };
}
