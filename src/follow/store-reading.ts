/** The state of a store as read so far, and what has not been reported of it yet. */
import type { CacheStart } from "../compile/start-from-cache.ts";
import { emptyState, withChanges, type StoreState } from "../compile/store-state.ts";
import type { Store } from "../store/store.ts";

/** The state of a store. */
export interface StoreReading {
  readonly state: () => StoreState;
  /** Reads changes; rejects when the store cannot be read. */
  readonly read: (thorough: boolean) => Promise<void>;
  /** Takes a state as the current one, because we wrote it. */
  readonly replace: (state: StoreState) => void;
  /** Returns why the last reading used the local copy instead of the store itself; undefined when it did not. */
  readonly staleBecause: () => string | undefined;
  /** Returns how many changes were read since the last call. */
  readonly takeChangeCount: () => number;
  /** Returns remarks, to be posted after the outcome of the reading. */
  readonly takeRemarks: () => readonly string[];
}

/** Starts from what was read before; `polled` is called after every reading of the store. */
export function openStoreReading(store: Store, start: CacheStart | undefined, polled: () => void): StoreReading {
  let state = start?.state ?? emptyState;
  let stale = start?.staleBecause;
  let changeCount = 0;
  const remarks: string[] = [];
  return {
    state: () => state,
    read: async (thorough) => {
      polled();
      const changes = await store.read(thorough);
      stale = changes.staleBecause;
      remarks.push(...(changes.remarks ?? []));
      changeCount += changes.changed.length + changes.removed.length + changes.changedSchemas.length + changes.removedSchemas.length;
      state = withChanges(state, changes);
    },
    replace: (written) => void (state = written),
    staleBecause: () => stale,
    takeChangeCount: () => {
      const taken = changeCount;
      changeCount = 0;
      return taken;
    },
    takeRemarks: () => remarks.splice(0),
  };
}
