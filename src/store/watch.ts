/** Watches a folder: says which files and folders below it may have changed. Only a trigger, never the truth; a slow poll covers what watchers miss. */
import { watch, type FSWatcher } from "node:fs";
import { join } from "node:path";
import { isPolicyPath } from "../../compiler/policy/paths.ts";
import { codeOf } from "../refusal.ts";
import { isSchemaPath } from "./schema-paths.ts";
import { isTold } from "./file-systems.ts";
import { identityOf, isGone, type Entering, type Tree } from "./tree.ts";

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
  /** How a folder or a file is watched; throws, or tells later, when it cannot be. */
  readonly watch?: (path: string, heard: (event: string, name: string | null) => void) => FSWatcher;
}

/** How often everything is compared where not everything can be watched. */
const blindMilliseconds = 2000;
/** Where all is watched, comparing everything takes no more than this share of the time, and less where the system tells of each change: of 36,000 files it is work for a third of a second. */
const shareOfComparing = { told: 1 / 400, untold: 1 / 100 } as const;
/** But it is put off to so many times the usual pause at most. */
const longestPause = 6;
/** How often it is asked whether the folder is still the one that is watched: nobody is told when a link that leads to it is swapped, or when something is mounted over it. */
const pulseMilliseconds = 500;
/** A queue of the kernel that is full drops what comes, and says nothing: so many events are taken for one of those. */
const mostEvents = 2000;

/** Starts to watch; `changed` is called once at first, because nobody knows what changed before. */
export function watchFolder(options: WatchOptions): FolderWatcher {
  const { root, pollMilliseconds, changed } = options;
  /** By path: those of folders, and of files that links lead to. */
  const watchers = new Map<string, FSWatcher>();
  /** What cannot be watched, and what is watched where not each change is told. */
  const blind = new Set<string>();
  const untold = new Set<string>();
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
  const unwatch = (path: string): void => {
    watchers.get(path)?.close();
    watchers.delete(path);
    blind.delete(path);
    untold.delete(path);
  };
  const identityNow = (): string | undefined => {
    try {
      return identityOf(root);
    } catch {
      return undefined;
    }
  };
  const unwatchAll = (): void => {
    for (const path of watchers.keys()) unwatch(path);
  };
  const lose = (): void => {
    identity = undefined;
    unwatchAll();
  };
  const unwatchBelow = (folder: string): void => {
    for (const path of [...watchers.keys(), ...blind]) if (path === folder || path.startsWith(`${folder}/`)) unwatch(path);
  };
  const touch = (path: string): void => {
    stirs++;
    if (++events > mostEvents) everything = true;
    else touched.add(path);
    // It may be another one of that name: whoever lists it again watches that.
    if (watchers.has(path)) unwatchBelow(path);
    changed();
  };
  const heard = (folder: string, event: string, name: string | null): void => {
    if (name === null) return touch(folder);
    // Kubernetes swaps the links `..data` and `..<time>`, behind which files of any name lie.
    if (name.startsWith("..")) {
      for (const path of watchers.keys()) if (isText(path)) unwatch(path);
      return compareAll();
    }
    if (name.startsWith(".")) return;
    const path = folder === "" ? name : `${folder}/${name}`;
    // Something else that is written to all the time, such as a log, is nothing new.
    if (event === "change" && !isText(path) && !watchers.has(path) && !blind.has(path)) return;
    touch(path);
  };
  const fail = (path: string, error: unknown): void => {
    watchers.get(path)?.close();
    watchers.delete(path);
    untold.delete(path);
    if (closed || isGone(error)) return;
    if (blind.size === 0) remarks.push(blindness(root, error));
    blind.add(path);
    schedule(); // sooner than was planned
  };
  const entering = (path: string): void => {
    if (path === "") {
      const now = identityNow();
      if (now !== identity) unwatchAll(); // what is watched is elsewhere
      identity = now;
    }
    if (closed || watchers.has(path)) return;
    try {
      const open = options.watch ?? watch;
      const isLink = isText(path);
      const watcher = open(join(root, path), (event, name) => (isLink ? touch(path) : heard(path, event, name)));
      watcher.on("error", (error) => fail(path, error));
      watchers.set(path, watcher);
      // Of a link on the way to a file nobody tells that it leads elsewhere.
      if (isLink || !isTold(join(root, path))) untold.add(path);
      if (blind.delete(path) && blind.size === 0) remarks.push(`everything in \`${root}\` can be watched again`);
    } catch (error) {
      fail(path, error);
    }
  };

  let timer: NodeJS.Timeout | undefined;
  /** When everything began to be compared, and how long that took the last time. */
  let comparing: number | undefined;
  let compared = 0;
  const pause = (): number => {
    if (blind.size > 0) return Math.min(pollMilliseconds, blindMilliseconds);
    const share = shareOfComparing[untold.size === 0 ? "told" : "untold"];
    return Math.min(Math.max(pollMilliseconds, compared / share), pollMilliseconds * longestPause);
  };
  const schedule = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      compareAll();
      schedule();
    }, pause()).unref();
  };
  schedule();
  const pulse = setInterval(() => {
    if (identity === identityNow()) return;
    lose();
    compareAll();
  }, pulseMilliseconds).unref();
  setImmediate(() => void (closed || changed()));

  return {
    takeTouched: () => {
      const taken = everything ? ("everything" as const) : touched;
      comparing = everything ? performance.now() : undefined;
      everything = false;
      events = 0;
      touched = new Set();
      return taken;
    },
    entering,
    lose,
    keep: ({ folders, entries }) => {
      if (comparing !== undefined) compared = performance.now() - comparing;
      comparing = undefined;
      for (const path of [...watchers.keys(), ...blind]) if (!folders.has(path) && !entries.has(path)) unwatch(path);
    },
    stirs: () => stirs,
    takeRemarks: () => {
      const taken = remarks;
      remarks = [];
      return taken;
    },
    close: () => {
      closed = true;
      clearTimeout(timer);
      clearInterval(pulse);
      unwatchAll();
    },
  };
}

const isText = (path: string): boolean => isPolicyPath(path) || isSchemaPath(path);

const blindness = (root: string, error: unknown): string => {
  const code = codeOf(error) ?? "unknown error";
  const hint = code === "ENOSPC" || code === "EMFILE" ? "; raise the limits fs.inotify.max_user_watches and max_user_instances" : "";
  return `not everything in \`${root}\` can be watched (${code}): it is looked at every ${blindMilliseconds / 1000} seconds instead${hint}`;
};
