/** Starts without the compile thread: what an earlier start validated is put in force, if it is known to be unchanged. */
import type { CompileThreadData } from "./compile-thread.ts";
import { startFromFolder, type FolderStart } from "./start-from-folder.ts";
import type { StoreEvent } from "../observe/events.ts";
import type { GoodOutcome } from "./outcome.ts";
import { readKnownBundle } from "../store/bundle-known.ts";

/** The set to put in force; with more data when it comes from a directory. */
export type ThreadlessStart = Pick<FolderStart, "good"> & Partial<FolderStart>;

/**
 * Returns the set; undefined when the thread must find out what there is. `isSettled`: nothing will change, and no commands will be
 * sent.
 */
export async function startWithoutThread(
  work: CompileThreadData,
  isSettled: boolean,
  observe: (event: StoreEvent) => void,
): Promise<ThreadlessStart | undefined> {
  const { storage, schemas } = work;
  if (storage["storage.driver"] === "disk") {
    const found = startFromFolder(work, !isSettled);
    if (found !== undefined) observe({ kind: "polled" });
    return found;
  }
  if (storage["storage.driver"] !== "bundle" || !isSettled) return undefined;
  const began = performance.now();
  const found = await readKnownBundle(storage);
  if (found === undefined) return undefined;
  observe({ kind: "bundle read", result: "updated", milliseconds: performance.now() - began });
  observe({ kind: "polled" });
  const { set, text } = found;
  const good: GoodOutcome = {
    kind: "set",
    text: [text],
    digest: set.digest,
    policies: set.policies,
    created: set.deciding,
    updated: 0,
    deleted: 0,
    warnings: [],
    ...(schemas !== undefined && { schemas: set.schemas }),
  };
  return { good };
}
