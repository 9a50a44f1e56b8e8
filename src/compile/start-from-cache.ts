/** Starts without compiling: if the store contains the inputs of the cached set, that set is posted, and no compiler is loaded. */
import type { SetCache } from "./set-cache.ts";
import type { SchemaRules } from "../schemas/check.ts";
import type { GoodOutcome } from "./outcome.ts";
import { digestInputs } from "./set-inputs.ts";
import { countChanges, emptyState, withChanges, type StoreState } from "./store-state.ts";
import { acceptRead } from "../store/accept.ts";
import type { Changes, Store } from "../store/store.ts";

/** A set that was posted without compiling it. */
export interface CacheStart {
  /** The contents of the store. */
  readonly state: StoreState;
  /** The digest of all inputs of the set. */
  readonly inputs: string;
  readonly good: GoodOutcome;
  readonly staleBecause: string | undefined;
  readonly remarks: readonly string[];
}

/** A store that has been read, and the set to post. */
export interface CacheStartResult {
  /** The same store; it returns what was read once more at first, unless there is a `start`. */
  readonly store: Store;
  /** Absent when the policies must be compiled, or the store cannot be read. */
  readonly start?: CacheStart;
}

/** Reads the store, and looks for its cached set. `watch`: changes from now on are reported to whoever watches the store later. */
export async function startFromCache(
  store: Store,
  sets: SetCache,
  rules: SchemaRules | undefined,
  watch: boolean,
): Promise<CacheStartResult> {
  let isTouched = false;
  let touched = (): void => void (isTouched = true);
  if (watch) store.watch(() => touched());
  let first: Promise<Changes> | undefined = store.read();
  const again: Store = {
    ...store,
    read: (thorough) => {
      const known = first;
      first = undefined;
      return known ?? store.read(thorough);
    },
    watch: (changed) => {
      touched = () => {
        isTouched = true; // for whoever watches later
        changed();
      };
      if (isTouched) changed();
    },
  };
  const changes = await first.catch(() => undefined); // whoever reads next gets the error
  if (changes === undefined || changes.unreadable.length > 0) return { store: again };
  const state = withChanges(emptyState, changes);
  const inputs = digestInputs(state, rules);
  const cached = sets.find(inputs);
  if (cached === undefined) return { store: again };
  recordStamps(sets, store, state, rules, inputs);
  first = undefined;
  const { text, digest, warnings } = cached;
  const good: GoodOutcome = {
    kind: "set",
    text,
    digest,
    policies: state.sources.size,
    ...countChanges(emptyState.sources, state.sources),
    warnings,
    ...(rules !== undefined && { schemas: new Map(state.schemas) }),
  };
  const remarks = [...(changes.remarks ?? [])];
  await acceptRead(store, (message) => void remarks.push(message));
  return { store: again, start: { state, inputs, good, staleBecause: changes.staleBecause, remarks } };
}

/** Records the stamps by which the files that were read last from a store can be recognised as the inputs of the cached set. */
export function recordStamps(sets: SetCache, store: Store, state: StoreState, rules: SchemaRules | undefined, inputs: string): void {
  const stamps = store.stamps?.(rules !== undefined);
  if (stamps === undefined) return;
  sets.recordStamps({ stamps, inputs, policies: state.sources.size, ...(rules !== undefined && { schemas: new Map(state.schemas) }) });
}
