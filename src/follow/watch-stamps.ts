/**
 * Watches a directory by the stamps (size, times, inode) of its files. As long as none changes, no contents are kept and no compiler is
 * loaded.
 */
import { resolve } from "node:path";
import { compareContents, unclearContents } from "../compile/compare-contents.ts";
import type { SetInForce } from "../compile/stamp-cache.ts";
import type { SchemaRules } from "../schemas/check.ts";
import { stampsOf } from "../store/stamps.ts";
import { emptyTree, listTree, relist, type Tree } from "../store/tree.ts";
import { watchFolder } from "../store/watch.ts";

/** What is watched, and the callbacks. */
export interface WatchStampsOptions {
  readonly directory: string;
  readonly rules: SchemaRules | undefined;
  readonly inForce: SetInForce & Required<Pick<SetInForce, "stamps">>;
  readonly watch: boolean;
  /** Called after every check for changes. */
  readonly polled: () => void;
  readonly remark: (message: string) => void;
  /** Called once, when something has changed or cannot be read; watching has ended then. */
  readonly changed: (because: "stamps" | "contents") => void;
  readonly pollMilliseconds?: number;
  readonly afterMilliseconds?: number;
}

/** Watches a directory: its stamps are checked at every file system event, its contents once. Returns a function that stops it. */
export function watchStamps(options: WatchStampsOptions): () => void {
  const { directory, rules, inForce, watch, polled, remark, changed, pollMilliseconds = 10_000, afterMilliseconds } = options;
  const root = resolve(directory);
  let tree: Tree = emptyTree;
  let isOver = false;
  const isAsItWas = (): boolean => {
    if (tree.doubtful?.size === 0) return true; // Every stamp is older than the last reading, so no change can have gone unnoticed.
    const now = stampsOf(root, tree.entries, Date.now(), rules !== undefined);
    return now?.digest === inForce.stamps.digest;
  };
  let stopComparing = (): void => undefined;
  const stop = (): void => {
    isOver = true;
    stopComparing();
    watcher?.close();
  };
  const end = (because: "stamps" | "contents"): void => {
    if (isOver) return;
    stop();
    changed(because);
  };
  const look = (): void => {
    if (isOver) return;
    const touched = watcher?.takeTouched() ?? "everything";
    if (touched !== "everything" && touched.size === 0) return;
    polled();
    try {
      tree = touched === "everything" ? listTree(root, watcher?.entering, tree) : relist(root, tree, touched, watcher?.entering);
      const isSame = isAsItWas();
      watcher?.keep(tree);
      for (const message of watcher?.takeRemarks() ?? []) remark(message);
      if (isSame) tree = { ...tree, doubtful: new Set() };
      else end("stamps");
    } catch {
      end("stamps"); // The next read of the directory reports why.
    }
  };
  const watcher = watch ? watchFolder({ root, pollMilliseconds, changed: look }) : undefined;
  look();
  if (isOver || inForce.isRead) return stop;
  stopComparing = compareContents({
    root,
    listed: { stamps: inForce.stamps, entries: tree.entries },
    rules,
    inputs: inForce.inputs,
    onResult: (result) => {
      if (result === "changed" && !watch) remark(unclearContents);
      if (result !== "same") end(result === "other" ? "contents" : "stamps");
    },
    ...(afterMilliseconds !== undefined && { delayMilliseconds: afterMilliseconds }),
  });
  return stop;
}
