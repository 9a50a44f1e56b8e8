/** A start without compiling: where the store holds what the kept set was made from, that set is told, and no compiler is loaded. */
import type { KeptSets } from "./kept-set.ts";
import type { SchemaRules } from "../schemas/check.ts";
import type { Good } from "./outcome.ts";
import { inputsOf } from "./set-inputs.ts";
import { differenceOf, emptyState, withChanges, type StoreState } from "./store-state.ts";
import { acceptRead } from "../store/accept.ts";
import type { Changes, Store } from "../store/store.ts";

/** What has been told already, by whoever compiled nothing for it. */
export interface KeptStart {
  /** What the store holds. */
  readonly state: StoreState;
  /** The digest of that, and of all else that the set is made from. */
  readonly inputs: string;
  readonly good: Good;
  readonly staleBecause: string | undefined;
  readonly remarks: readonly string[];
}

/** A store that has been read, and what can be told of it. */
export interface Begun {
  /** The same store: what was read is the first thing that it answers, unless there is a start. */
  readonly store: Store;
  /** Absent where somebody has to compile, or to say why nothing can be read. */
  readonly start?: KeptStart;
}

/** Reads the store and looks whether its set was kept. `watch`: what happens to the store from now on is told to whoever watches it later. */
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
        isTouched = true; // for whoever watches instead
        changed();
      };
      if (isTouched) changed();
    },
  };
  const changes = await first.catch(() => undefined); // whoever reads next is told
  if (changes === undefined || changes.unreadable.length > 0) return { store: again };
  const state = withChanges(emptyState, changes);
  const inputs = inputsOf(state, rules);
  const kept = sets.find(inputs);
  if (kept === undefined) return { store: again };
  noteStamps(sets, store, state, rules, inputs);
  first = undefined;
  const { text, digest, warnings } = kept;
  const good: Good = {
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

/** Notes by which stamps the files of a store are known again that were read last, and that a kept set was made from. */
export function noteStamps(sets: KeptSets, store: Store, state: StoreState, rules: SchemaRules | undefined, inputs: string): void {
  const stamps = store.stamps?.(rules !== undefined);
  if (stamps === undefined) return;
  sets.noteStamps({ stamps, inputs, policies: state.sources.size, ...(rules !== undefined && { schemas: new Map(state.schemas) }) });
}
