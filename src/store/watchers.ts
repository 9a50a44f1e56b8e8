/** The watchers of a folder, one for each path that is watched; and what cannot be watched, or not be trusted to tell each change. */
import { watch, type FSWatcher } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../refusal.ts";
import { isTold } from "./file-systems.ts";
import { isGone, isText } from "./tree.ts";

/** How a folder or a file is watched; throws, or tells later, when it cannot be. */
export type WatchPath = (path: string, heard: (event: string, name: string | null) => void) => FSWatcher;

/** What is watched, and who is told. */
export interface WatchersOptions {
  /** Absolute. */
  readonly root: string;
  /** How; the system's way unless said otherwise. */
  readonly open: WatchPath | undefined;
  /** Told of what happens in a folder. */
  readonly heard: (folder: string, event: string, name: string | null) => void;
  /** Told of what happens to a file that a link leads to. */
  readonly touched: (path: string) => void;
  /** Told, with words for the operator, that not everything can be watched any more, or can be again. */
  readonly remark: (message: string) => void;
  /** Told that one more path cannot be watched. */
  readonly blinded: () => void;
}

/** Those that are open. */
export interface Watchers {
  /** Watches a path, unless it is watched. */
  readonly add: (path: string) => void;
  readonly has: (path: string) => boolean;
  readonly isBlind: (path: string) => boolean;
  /** Is everything watched that was to be? */
  readonly seesAll: () => boolean;
  /** Does the system tell each change of what is watched? */
  readonly tellsAll: () => boolean;
  readonly dropBelow: (folder: string) => void;
  /** Those of files that links lead to. */
  readonly dropLinks: () => void;
  readonly dropAll: () => void;
  readonly keepOnly: (isThere: (path: string) => boolean) => void;
  /** All are dropped, and none is opened any more. */
  readonly close: () => void;
}

/** How often everything is compared where not everything can be watched. */
export const blindMilliseconds = 2000;

/** Opens them; nothing is watched yet. */
export function openWatchers({ root, open = watch, heard, touched, remark, blinded }: WatchersOptions): Watchers {
  /** By path: those of folders, and of files that links lead to. */
  const watchers = new Map<string, FSWatcher>();
  /** What cannot be watched, and what is watched where not each change is told. */
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
        // Of a link on the way to a file nobody tells that it leads elsewhere.
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
