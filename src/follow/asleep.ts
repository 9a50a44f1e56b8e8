/** A folder whose files are known by their stamps: as long as nothing happens to it, none of its texts is kept, and no compiler is loaded. */
import { resolve } from "node:path";
import { compareContents, unclearContents } from "../compile/compare-contents.ts";
import type { InForce } from "../compile/kept-stamps.ts";
import type { SchemaRules } from "../schemas/check.ts";
import { stampsOf } from "../store/stamps.ts";
import { emptyTree, listTree, relist, type Tree } from "../store/tree.ts";
import { watchFolder } from "../store/watch.ts";

/** Which folder, and who is told. */
export interface AsleepOptions {
  readonly directory: string;
  readonly rules: SchemaRules | undefined;
  readonly inForce: InForce & Required<Pick<InForce, "stamps">>;
  readonly watch: boolean;
  /** Told whenever it has been looked whether anything is new. */
  readonly polled: () => void;
  readonly remark: (message: string) => void;
  /** Something is not as it was, or cannot be read. Nothing is looked after any more. */
  readonly wake: (because: "stamps" | "contents") => void;
  readonly pollMilliseconds?: number;
  readonly afterMilliseconds?: number;
}

/** Looks after a folder, by stamps whenever something happens and by contents once; returns how to stop. */
export function watchAsleep(options: AsleepOptions): () => void {
  const { directory, rules, inForce, watch, polled, remark, wake, pollMilliseconds = 10_000, afterMilliseconds } = options;
  const root = resolve(directory);
  let tree: Tree = emptyTree;
  let isOver = false;
  const isAsItWas = (): boolean => {
    if (tree.doubtful?.size === 0) return true; // no stamp is another than when all was
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
    wake(because);
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
      end("stamps"); // whoever reads it says why it cannot be
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
    told: (result) => {
      if (result === "changed" && !watch) remark(unclearContents);
      if (result !== "same") end(result === "other" ? "contents" : "stamps");
    },
    ...(afterMilliseconds !== undefined && { afterMilliseconds }),
  });
  return stop;
}
