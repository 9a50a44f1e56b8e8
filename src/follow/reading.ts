/** What has been read of a store so far, and what of it nobody has heard yet. */
import type { KeptStart } from "../compile/kept-start.ts";
import { emptyState, withChanges, type StoreState } from "../compile/store-state.ts";
import type { Store } from "../store/store.ts";

/** A store as it was read. */
export interface Reading {
  readonly state: () => StoreState;
  /** Reads what is new; rejects when the store cannot be read. */
  readonly read: (thorough: boolean) => Promise<void>;
  /** Takes a state for what there is: it was written. */
  readonly take: (state: StoreState) => void;
  /** Why the store was not asked itself, when its last good copy was. */
  readonly staleBecause: () => string | undefined;
  /** How much was read since this was asked last. */
  readonly takeNews: () => number;
  /** What is to be said, after what is told of the reading. */
  readonly takeRemarks: () => readonly string[];
}

/** Begins with what was read before; `polled` is told whenever the store has been asked. */
export function openReading(store: Store, start: KeptStart | undefined, polled: () => void): Reading {
  let state = start?.state ?? emptyState;
  let stale = start?.staleBecause;
  let news = 0;
  const remarks: string[] = [];
  return {
    state: () => state,
    read: async (thorough) => {
      polled();
      const changes = await store.read(thorough);
      stale = changes.staleBecause;
      remarks.push(...(changes.remarks ?? []));
      news += changes.changed.length + changes.removed.length + changes.changedSchemas.length + changes.removedSchemas.length;
      state = withChanges(state, changes);
    },
    take: (written) => void (state = written),
    staleBecause: () => stale,
    takeNews: () => {
      const taken = news;
      news = 0;
      return taken;
    },
    takeRemarks: () => remarks.splice(0),
  };
}
