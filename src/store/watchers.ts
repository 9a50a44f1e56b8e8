/** The watchers of a directory, one per path; and the paths that cannot be watched, or whose changes may not all be reported. */
import { watch, type FSWatcher } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../refusal.ts";
import { isTold } from "./file-systems.ts";
import { isGone, isText } from "./tree.ts";

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
  readonly blinded: () => void;
}

/** The watchers that are open. */
export interface Watchers {
  /** Watches a path, unless it is watched already. */
  readonly add: (path: string) => void;
  readonly has: (path: string) => boolean;
  readonly isBlind: (path: string) => boolean;
  /** Returns whether every path could be watched. */
  readonly seesAll: () => boolean;
  /** Returns whether the system reports every change of the watched paths. */
  readonly tellsAll: () => boolean;
  readonly dropBelow: (folder: string) => void;
  /** Closes the watchers of files that links lead to. */
  readonly dropLinks: () => void;
  readonly dropAll: () => void;
  readonly keepOnly: (isThere: (path: string) => boolean) => void;
  /** Closes all, and opens none any more. */
  readonly close: () => void;
}

/** How many milliseconds pass between comparisons while something cannot be watched. */
export const blindMilliseconds = 2000;

/** Opens the set of watchers, empty. */
export function openWatchers({ root, open = watch, heard, touched, remark, blinded }: WatchersOptions): Watchers {
  /** By path: watchers of directories, and of files that links lead to. */
  const watchers = new Map<string, FSWatcher>();
  /** Paths that cannot be watched, and watched paths whose changes may not all be reported. */
  const blind = new Set<string>();
  const untold = new Set<string>();
  let closed = false;

  const drop = (path: string): void => {
    watchers.get(path)?.close();
    watchers.delete(path);
    blind.delete(path);
    untold.delete(path);
  };
  const dropAll = (): void => {
    for (const path of watchers.keys()) drop(path);
  };
  const fail = (path: string, error: unknown): void => {
    watchers.get(path)?.close();
    watchers.delete(path);
    untold.delete(path);
    if (closed || isGone(error)) return;
    if (blind.size === 0) remark(blindness(root, error));
    blind.add(path);
    blinded();
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
        if (isLink || !isTold(join(root, path))) untold.add(path);
        if (blind.delete(path) && blind.size === 0) remark(`everything in \`${root}\` can be watched again`);
      } catch (error) {
        fail(path, error);
      }
    },
    has: (path) => watchers.has(path),
    isBlind: (path) => blind.has(path),
    seesAll: () => blind.size === 0,
    tellsAll: () => untold.size === 0,
    dropBelow: (folder) => {
      for (const path of [...watchers.keys(), ...blind]) if (path === folder || path.startsWith(`${folder}/`)) drop(path);
    },
    dropLinks: () => {
      for (const path of watchers.keys()) if (isText(path)) drop(path);
    },
    dropAll,
    keepOnly: (isThere) => {
      for (const path of [...watchers.keys(), ...blind]) if (!isThere(path)) drop(path);
    },
    close: () => {
      closed = true;
      dropAll();
    },
  };
}

const blindness = (root: string, error: unknown): string => {
  const code = codeOf(error) ?? "unknown error";
  const hint = code === "ENOSPC" || code === "EMFILE" ? "; raise the limits fs.inotify.max_user_watches and max_user_instances" : "";
  return `not everything in \`${root}\` can be watched (${code}): it is looked at every ${blindMilliseconds / 1000} seconds instead${hint}`;
};
