/** The watchers of a directory, one per path; and the paths that cannot be watched, or whose changes may not all be reported. */
import { watch, type FSWatcher } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../refusal.ts";
import { reportsEveryChange } from "../file-systems.ts";
import { isNotFound, isText } from "./tree.ts";

/** Watches a directory or file; throws, or emits an error later, when it cannot. */
export type WatchPath = (path: string, heard: (event: string, name: string | null) => void) => FSWatcher;

/** What is watched, and the callbacks. */
export interface WatchersOptions {
  /** An absolute path. */
  readonly root: string;
  /** How paths are watched; undefined: by `fs.watch`. */
  readonly open: WatchPath | undefined;
  /** Called for an event in a directory. */
  readonly heard: (folder: string, event: string, name: string | null) => void;
  /** Called for an event of a file that a link leads to. */
  readonly touched: (path: string) => void;
  /** Called with a message for the operator when not everything can be watched any more, or everything can be again. */
  readonly remark: (message: string) => void;
  /** Called when one more path cannot be watched. */
  readonly unwatched: () => void;
}

/** The watchers that are open. */
export interface Watchers {
  /** Watches a path, unless it is watched already. */
  readonly add: (path: string) => void;
  readonly has: (path: string) => boolean;
  readonly isUnwatched: (path: string) => boolean;
  /** Returns whether every path could be watched. */
  readonly watchesAll: () => boolean;
  /** Returns whether the system reports every change of the watched paths. */
  readonly reportsAll: () => boolean;
  readonly dropBelow: (folder: string) => void;
  /** Closes the watchers of files that links lead to. */
  readonly dropLinks: () => void;
  readonly dropAll: () => void;
  readonly keepOnly: (isThere: (path: string) => boolean) => void;
  /** Closes all, and opens none any more. */
  readonly close: () => void;
}

/** How many milliseconds pass between comparisons while something cannot be watched. */
export const unwatchedMilliseconds = 2000;

/** Opens the set of watchers, empty. */
export function openWatchers({ root, open = watch, heard, touched, remark, unwatched }: WatchersOptions): Watchers {
  /** By path: watchers of directories, and of files that links lead to. */
  const watchers = new Map<string, FSWatcher>();
  /** Paths that cannot be watched, and watched paths whose changes may not all be reported. */
  const unwatchedPaths = new Set<string>();
  const unreported = new Set<string>();
  let closed = false;

  const drop = (path: string): void => {
    watchers.get(path)?.close();
    watchers.delete(path);
    unwatchedPaths.delete(path);
    unreported.delete(path);
  };
  const dropAll = (): void => {
    for (const path of watchers.keys()) drop(path);
  };
  const fail = (path: string, error: unknown): void => {
    watchers.get(path)?.close();
    watchers.delete(path);
    unreported.delete(path);
    if (closed || isNotFound(error)) return;
    if (unwatchedPaths.has(path)) return; // The comparison that is due for it must not be put off by each attempt to watch it.
    if (unwatchedPaths.size === 0) remark(notWatched(root, error));
    unwatchedPaths.add(path);
    unwatched();
  };
  return {
    add: (path) => {
      if (closed || watchers.has(path)) return;
      try {
        const isLink = isText(path);
        const watcher = open(join(root, path), (event, name) => (isLink ? touched(path) : heard(path, event, name)));
        watcher.on("error", (error) => fail(path, error));
        watchers.set(path, watcher);
        // If a link on the way to a file is changed, no event is emitted.
        if (isLink || !reportsEveryChange(join(root, path))) unreported.add(path);
        if (unwatchedPaths.delete(path) && unwatchedPaths.size === 0) remark(`everything in \`${root}\` can be watched again`);
      } catch (error) {
        fail(path, error);
      }
    },
    has: (path) => watchers.has(path),
    isUnwatched: (path) => unwatchedPaths.has(path),
    watchesAll: () => unwatchedPaths.size === 0,
    reportsAll: () => unreported.size === 0,
    dropBelow: (folder) => {
      for (const path of [...watchers.keys(), ...unwatchedPaths]) if (path === folder || path.startsWith(`${folder}/`)) drop(path);
    },
    dropLinks: () => {
      for (const path of watchers.keys()) if (isText(path)) drop(path);
    },
    dropAll,
    keepOnly: (isThere) => {
      for (const path of [...watchers.keys(), ...unwatchedPaths]) if (!isThere(path)) drop(path);
    },
    close: () => {
      closed = true;
      dropAll();
    },
  };
}

const notWatched = (root: string, error: unknown): string => {
  const code = codeOf(error) ?? "unknown error";
  const hint = code === "ENOSPC" || code === "EMFILE" ? "; raise the limits fs.inotify.max_user_watches and max_user_instances" : "";
  return `not everything in \`${root}\` can be watched (${code}): it is looked at every ${unwatchedMilliseconds / 1000} seconds instead${hint}`;
};
