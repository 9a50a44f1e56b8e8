/** Starts without compiling: if the store contains the inputs of the kept set, that set is posted, and no compiler is loaded. */
import type { KeptSets } from "./kept-set.ts";
import type { SchemaRules } from "../schemas/check.ts";
import type { GoodOutcome } from "./outcome.ts";
import { inputsOf } from "./set-inputs.ts";
import { differenceOf, emptyState, withChanges, type StoreState } from "./store-state.ts";
import { acceptRead } from "../store/accept.ts";
import type { Changes, Store } from "../store/store.ts";

/** A set that was posted without compiling it. */
export interface KeptStart {
  /** The contents of the store. */
  readonly state: StoreState;
  /** The digest of all inputs of the set. */
  readonly inputs: string;
  readonly good: GoodOutcome;
  readonly staleBecause: string | undefined;
  readonly remarks: readonly string[];
}

/** A store that has been read, and the set to post. */
export interface Begun {
  /** The same store; it returns what was read once more at first, unless there is a `start`. */
  readonly store: Store;
  /** Absent when the policies must be compiled, or the store cannot be read. */
  readonly start?: KeptStart;
}

/** Reads the store, and looks for its kept set. `watch`: changes from now on are reported to whoever watches the store later. */
export async function beginKept(store: Store, sets: KeptSets, rules: SchemaRules | undefined, watch: boolean): Promise<Begun> {
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
  const inputs = inputsOf(state, rules);
  const kept = sets.find(inputs);
  if (kept === undefined) return { store: again };
  noteStamps(sets, store, state, rules, inputs);
  first = undefined;
  const { text, digest, warnings } = kept;
  const good: GoodOutcome = {
    kind: "set",
    text,
    digest,
    policies: state.sources.size,
    ...differenceOf(emptyState.sources, state.sources),
    warnings,
    ...(rules !== undefined && { schemas: new Map(state.schemas) }),
  };
  const remarks = [...(changes.remarks ?? [])];
  await acceptRead(store, (message) => void remarks.push(message));
  return { store: again, start: { state, inputs, good, staleBecause: changes.staleBecause, remarks } };
}

/** Records the stamps by which the files that were read last from a store can be recognised as the inputs of the kept set. */
export function noteStamps(sets: KeptSets, store: Store, state: StoreState, rules: SchemaRules | undefined, inputs: string): void {
  const stamps = store.stamps?.(rules !== undefined);
  if (stamps === undefined) return;
  sets.noteStamps({ stamps, inputs, policies: state.sources.size, ...(rules !== undefined && { schemas: new Map(state.schemas) }) });
}
