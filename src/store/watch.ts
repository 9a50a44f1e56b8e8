/** Watches a folder: says which folders below it may have changed. Only a trigger, never the truth; a slow poll covers what watchers miss. */
import { basename, relative, sep } from "node:path";
import { watch, type FSWatcher } from "chokidar";
import { folderOf, type Touched } from "./tree.ts";

/** A folder that is being watched. */
export interface FolderWatcher {
  /** Returns the folders that were touched since the last call, or everything, when all must be compared. */
  readonly takeTouched: () => "everything" | readonly Touched[];
  /** Starts afresh, after the folder itself was gone for a while. */
  readonly restart: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** What is watched, and who is told. */
export interface WatchOptions {
  /** Absolute. */
  readonly root: string;
  readonly pollMilliseconds: number;
  readonly changed: () => void;
}

/** Starts to watch. */
export function watchFolder(options: WatchOptions): FolderWatcher {
  let everything = false;
  const touched = new Map<string, Touched>();
  let before: ReadonlyMap<string, Touched> = new Map();
  const touch = (folder: string, deep: boolean): void => {
    if (deep || !touched.has(folder)) touched.set(folder, { folder, deep });
    options.changed();
  };
  const compareAll = (): void => {
    everything = true;
    options.changed();
  };

  const start = (): FSWatcher => {
    const watcher = watch(options.root, {
      ignoreInitial: true,
      ignorePermissionErrors: true,
      atomic: false,
      ignored: (path) => path !== options.root && isHidden(basename(path)),
    });
    watcher.on("all", (event, path) => {
      const relativePath = relative(options.root, path).split(sep).join("/");
      if (relativePath.split("/").some((segment) => segment.startsWith(".."))) return compareAll();
      touch(event.endsWith("Dir") ? relativePath : folderOf(relativePath), event.endsWith("Dir"));
    });
    // What changed while the watcher was looking round was seen by nobody.
    watcher.on("ready", compareAll);
    watcher.on("error", compareAll);
    return watcher;
  };
  let watcher = start();
  const poll = setInterval(compareAll, options.pollMilliseconds);
  poll.unref();

  return {
    takeTouched: () => {
      // Watchers drop events that follow each other closely, so what was just touched is looked at once more the next time.
      const taken = everything ? ("everything" as const) : [...new Map([...before, ...touched]).values()];
      everything = false;
      before = new Map(touched);
      touched.clear();
      return taken;
    },
    restart: async () => {
      await watcher.close();
      watcher = start();
    },
    close: async () => {
      clearInterval(poll);
      await watcher.close();
    },
  };
}

// Kubernetes swaps the links `..data` and `..<time>`: names that must be seen although they are hidden.
const isHidden = (name: string): boolean => /^\.(?!\.)/.test(name);
