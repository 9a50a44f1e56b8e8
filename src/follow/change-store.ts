/** Changes of a store that is followed, from their plans to their being in force: compiled before they are written (D13), written, told (D21). */
import type { CompileMemory } from "../../compiler/memory.ts";
import type { Change, Standing } from "../admin/changes/change.ts";
import { refused, type Changed, type Refused } from "../compile/commands.ts";
import type { CompiledSet } from "../compile/compile-set.ts";
import { isRefusal } from "../refusal.ts";
import type { StoreState } from "../compile/store-state.ts";
import { LockedError } from "../store/locked-error.ts";
import { UnwrittenError } from "../store/write-files.ts";
import { emptyBatch, type Batch, type Store } from "../store/store.ts";

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

/** Works out a change; asked again where somebody else has changed the store meanwhile. */
export type Plan = (standing: Standing) => Change | Refused;

/** Makes a change, or says why not; nothing is changed then. */
export async function changeStore(followed: Followed, plan: Plan): Promise<Changed | Refused> {
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
    return { ...refused("store", "somebody else keeps changing the same things: try again"), isPassing: true };
  } catch (error) {
    return refuseStore(error);
  }
}

/**
 * Makes several changes as one, each worked out on what those before it leave: they cost one compilation and one writing.
 * Returns what each came to; undefined, with nothing changed, where it takes one by one to say that.
 */
export async function changeTogether(followed: Followed, plans: readonly Plan[]): Promise<readonly (Changed | Refused)[] | undefined> {
  const { store, memory, places, compile, settle } = followed;
  if (store.readOnly !== undefined) return undefined;
  try {
    const before = await followed.refresh(true);
    if (followed.isAhead()) followed.catchUp();
    const at = Date.now();
    let state = before;
    let batch = emptyBatch;
    const touched = new Set<string>();
    const answers: (Changed | Refused)[] = [];
    for (const plan of plans) {
      const change = plan({ state, store, memory, places, at });
      answers.push(change.kind === "refused" ? change : { kind: "changed", count: change.count });
      if (change.kind === "refused" || isEmpty(change.batch)) continue;
      for (const path of pathsOf(change.batch)) {
        // Each is to leave its own revision.
        if (touched.has(path)) return undefined;
        touched.add(path);
      }
      ({ state } = change);
      batch = joined(batch, change.batch);
    }
    if (state === before) return answers;
    const next = compile(state);
    if (next.compiled.kind === "broken" || (await store.write(batch, at)) === "stale") return undefined;
    settle(state, next);
    return answers;
  } catch (error) {
    // One of the files cannot be written: it is not all of them that are to hear of it.
    if (error instanceof UnwrittenError) return undefined;
    const refusal = refuseStore(error);
    return plans.map(() => refusal);
  }
}

/** What the store cannot do is not a bug of ours. */
function refuseStore(error: unknown): Refused {
  if (error instanceof UnwrittenError && error.isNameUnusable) return refused("precondition", error.message);
  if (error instanceof LockedError) return { ...refused("store", error.message), isPassing: true };
  if (isRefusal(error)) return refused("store", error.message);
  throw error;
}

const isEmpty = (batch: Batch): boolean => pathsOf(batch).length === 0;

/** Policies and schemas of one path are not the same thing. */
const pathsOf = ({ putPolicies, removePolicies, putSchemas, removeSchemas }: Batch): readonly string[] => [
  ...[...putPolicies.map(({ path }) => path), ...removePolicies].map((path) => `policy ${path}`),
  ...[...putSchemas.map(({ path }) => path), ...removeSchemas].map((path) => `schema ${path}`),
];

const joined = (left: Batch, right: Batch): Batch => ({
  putPolicies: [...left.putPolicies, ...right.putPolicies],
  removePolicies: [...left.removePolicies, ...right.removePolicies],
  putSchemas: [...left.putSchemas, ...right.putSchemas],
  removeSchemas: [...left.removeSchemas, ...right.removeSchemas],
});
