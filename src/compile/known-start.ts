/** Starts without the compile thread: what an earlier start validated is put in force, if it is known to be unchanged. */
import type { CompileWork } from "./compile-thread.ts";
import { knownFolder, type KnownFolder } from "./known-folder.ts";
import type { StoreEvent } from "../observe/events.ts";
import type { GoodOutcome } from "./outcome.ts";
import { readKnownBundle } from "../store/bundle-known.ts";

/** The set to put in force; with more data when it comes from a directory. */
export type KnownStart = Pick<KnownFolder, "good"> & Partial<KnownFolder>;

/**
 * Returns the set; undefined when the thread must find out what there is. `isSettled`: nothing will change, and no commands will be
 * sent.
 */
export async function knownStart(
  work: CompileWork,
  isSettled: boolean,
  observe: (event: StoreEvent) => void,
): Promise<KnownStart | undefined> {
  const { storage, schemas } = work;
  if (storage["storage.driver"] === "disk") {
    const found = knownFolder(work, !isSettled);
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
