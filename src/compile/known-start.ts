/** A start without a thread that reads and checks: where nothing will change, the bundle that an earlier start found good is put in force as it was. */
import type { CompileWork } from "./compile-thread.ts";
import type { StoreEvent } from "../observe/events.ts";
import type { Good } from "./outcome.ts";
import { readKnownBundle } from "../store/bundle-known.ts";

/** Returns its set; undefined where the thread has to find out what there is. */
export async function knownStart({ storage, schemas }: CompileWork, observe: (event: StoreEvent) => void): Promise<Good | undefined> {
  if (storage["storage.driver"] !== "bundle") return undefined;
  const began = performance.now();
  const found = await readKnownBundle(storage);
  if (found === undefined) return undefined;
  observe({ kind: "bundle read", result: "updated", milliseconds: performance.now() - began });
  observe({ kind: "polled" });
  const { set, text } = found;
  return {
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
}
