/** Executes changes of a store that is followed: each is compiled before it is written (D13), then written, then put in force (D21). */
import type { CompileCache } from "../../compiler/cache.ts";
import type { Change, ChangeContext } from "../admin/changes/change.ts";
import { refused, type Changed, type Refused } from "../compile/commands.ts";
import type { CompileResult } from "../compile/compile-set.ts";
import type { StoreState } from "../compile/store-state.ts";
import { refuseChange } from "./refuse-store.ts";
import { UnwrittenError } from "../store/write-files.ts";
import { emptyBatch, type Batch, type Store } from "../store/store.ts";

/** The operations of a loop that changes need. They do not queue; the caller serialises them. */
export interface StoreOperations {
  readonly store: Store;
  readonly cache: CompileCache;
  readonly places: ChangeContext["places"];
  /** Reads what is new. Rejects with a refusal when the store cannot be read. */
  readonly refresh: (thorough: boolean) => Promise<StoreState>;
  /** Returns whether the state has not been compiled yet. */
  readonly isAhead: () => boolean;
  /** Returns why the last reading used the local copy instead of the store itself; undefined when it did not. */
  readonly staleBecause: () => string | undefined;
  /** Compiles the state that was read, and posts the outcome. */
  readonly catchUp: () => CompileResult;
  /** Returns the result of the last compilation. */
  readonly lastResult: () => CompileResult | undefined;
  readonly compile: (next: StoreState) => Compiled;
  /** Takes a state as the current one, and posts the outcome. */
  readonly adopt: (next: StoreState, compiled: Compiled) => void;
}

/** The result of compiling a state, and its duration. */
export interface Compiled {
  readonly compiled: CompileResult;
  readonly milliseconds: number;
}

/** How often a write is retried when another process changes the same files concurrently. */
const maxAttempts = 5;

/** Computes a change from the current state; called again after a conflict. */
export type Plan = (context: ChangeContext) => Change | Refused;

/** Executes a change. On a refusal, nothing has been changed. */
export async function changeStore(operations: StoreOperations, plan: Plan): Promise<Changed | Refused> {
  const { store, cache, places, compile, adopt } = operations;
  if (store.readOnly !== undefined) return refused("read-only", store.readOnly);
  try {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const state = await operations.refresh(true);
      // Changes by others are posted separately: they are not part of this one.
      if (operations.isAhead()) operations.catchUp();
      const at = Date.now();
      const change = plan({ state, store, cache, places, at });
      if (change.kind === "refused") return change;
      if (isEmpty(change.batch)) return { kind: "changed", count: change.count };
      const next = compile(change.state);
      if (next.compiled.kind === "broken") return change.refuse(next.compiled, operations.lastResult()?.kind === "broken");
      if ((await store.write(change.batch, at)) === "stale") continue;
      adopt(change.state, next);
      return { kind: "changed", count: change.count };
    }
    return { ...refused("store", "somebody else keeps changing the same things: try again"), isPassing: true };
  } catch (error) {
    return refuseChange(error);
  }
}

/**
 * Executes several changes as one, each computed on the result of those before it: that costs one compilation and one write. Returns
 * the answer to each; undefined, with nothing changed, when they must be executed one by one.
 */
export async function changeBatch(
  operations: StoreOperations,
  plans: readonly Plan[],
): Promise<readonly (Changed | Refused)[] | undefined> {
  const { store, cache, places, compile, adopt } = operations;
  if (store.readOnly !== undefined) return undefined;
  try {
    const before = await operations.refresh(true);
    if (operations.isAhead()) operations.catchUp();
    const at = Date.now();
    let state = before;
    let batch = emptyBatch;
    const touched = new Set<string>();
    const answers: (Changed | Refused)[] = [];
    for (const plan of plans) {
      const change = plan({ state, store, cache, places, at });
      answers.push(change.kind === "refused" ? change : { kind: "changed", count: change.count });
      if (change.kind === "refused" || isEmpty(change.batch)) continue;
      for (const path of pathsOf(change.batch)) {
        // Each change must create a revision of its own.
        if (touched.has(path)) return undefined;
        touched.add(path);
      }
      ({ state } = change);
      batch = joined(batch, change.batch);
    }
    if (state === before) return answers;
    const next = compile(state);
    if (next.compiled.kind === "broken" || (await store.write(batch, at)) === "stale") return undefined;
    adopt(state, next);
    return answers;
  } catch (error) {
    // One of the files cannot be written; the other changes must not fail because of it.
    if (error instanceof UnwrittenError) return undefined;
    const refusal = refuseChange(error);
    return plans.map(() => refusal);
  }
}

const isEmpty = (batch: Batch): boolean => pathsOf(batch).length === 0;

/** Prefixed paths: a policy and a schema may have the same path. */
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
