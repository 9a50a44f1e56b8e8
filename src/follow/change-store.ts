/** One change of a store that is followed, from its plan to its being in force: compiled before it is written (D13), written, told (D21). */
import type { CompileMemory } from "../../compiler/memory.ts";
import type { Change, Standing } from "../admin/changes/change.ts";
import { refused, type Changed, type Refused } from "../compile/commands.ts";
import type { CompiledSet } from "../compile/compile-set.ts";
import { isRefusal } from "../refusal.ts";
import type { StoreState } from "../compile/store-state.ts";
import { UnwrittenError } from "../store/write-files.ts";
import type { Batch, Store } from "../store/store.ts";

/** What a loop lets those do who ask it: nothing here waits for its turn. */
export interface Followed {
  readonly store: Store;
  readonly memory: CompileMemory;
  readonly places: Standing["places"];
  /** Reads what is new. Rejects, with a refusal, when the store cannot be read. */
  readonly refresh: (thorough: boolean) => Promise<StoreState>;
  /** Does the state wait for being compiled? */
  readonly isAhead: () => boolean;
  /** Why the store was not asked itself at the last reading, when its last good copy was. */
  readonly staleBecause: () => string | undefined;
  /** Compiles what has been read, and tells of it. */
  readonly catchUp: () => CompiledSet;
  /** What came of the state that was compiled last. */
  readonly standing: () => CompiledSet | undefined;
  readonly compile: (next: StoreState) => Compiled;
  /** Takes a state for what there is, and tells of it. */
  readonly settle: (next: StoreState, compiled: Compiled) => void;
}

/** A state that is compiled, and how long that took. */
export interface Compiled {
  readonly compiled: CompiledSet;
  readonly milliseconds: number;
}

/** How often a write begins again when somebody else changes the same at the same time. */
const mostAttempts = 5;

/** Makes a change, or says why not; nothing is changed then. */
export async function changeStore(followed: Followed, plan: (standing: Standing) => Change | Refused): Promise<Changed | Refused> {
  const { store, memory, places, compile, settle } = followed;
  if (store.readOnly !== undefined) return refused("read-only", store.readOnly);
  try {
    for (let attempt = 0; attempt < mostAttempts; attempt++) {
      const state = await followed.refresh(true);
      // What somebody else has changed is told of by itself: it is not part of this change.
      if (followed.isAhead()) followed.catchUp();
      const at = Date.now();
      const change = plan({ state, store, memory, places, at });
      if (change.kind === "refused") return change;
      if (isEmpty(change.batch)) return { kind: "changed", count: change.count };
      const next = compile(change.state);
      if (next.compiled.kind === "broken") return change.refuse(next.compiled, followed.standing()?.kind === "broken");
      if ((await store.write(change.batch, at)) === "stale") continue;
      settle(change.state, next);
      return { kind: "changed", count: change.count };
    }
    return refused("store", "somebody else keeps changing the same things: try again");
  } catch (error) {
    if (error instanceof UnwrittenError && error.isNameUnusable) return refused("precondition", error.message);
    if (isRefusal(error)) return refused("store", error.message);
    throw error;
  }
}

const isEmpty = ({ putPolicies, removePolicies, putSchemas, removeSchemas }: Batch): boolean =>
  putPolicies.length + removePolicies.length + putSchemas.length + removeSchemas.length === 0;
