/**
 * Follows a store of policies: reads changes, compiles, posts the outcome, again and again; and executes changes of the store. Runs in
 * the compile thread (D21).
 */
import { openCommandHandlers, type ExecuteCommand } from "./command-handlers.ts";
import { openDebouncer } from "./debouncer.ts";
import { openIncrementalCompiler, type CompiledState } from "./incremental-compiler.ts";
import type { SetCache } from "../compile/set-cache.ts";
import type { CacheStart } from "../compile/start-from-cache.ts";
import type { BrokenOutcome, Outcome, PostedSet } from "../compile/outcome.ts";
import { openOutcomePoster } from "./outcome-poster.ts";
import { openStoreReading } from "./store-reading.ts";
import { messageOf } from "../refusal.ts";
import { openSerialQueue } from "../serial-queue.ts";
import type { SchemaRules } from "../schemas/check.ts";
import type { StoreState } from "../compile/store-state.ts";
import { acceptRead } from "../store/accept.ts";
import type { Store } from "../store/store.ts";
import { openSetEncoder } from "./set-encoder.ts";

/** What is followed, and the callbacks. */
export interface LoopOptions {
  readonly store: Store;
  readonly watch: boolean;
  readonly post: (outcome: Outcome) => void;
  /** Called whenever the store has been checked for changes. */
  readonly polled?: () => void;
  /** Where schemas may come from; absent when attributes are not validated. */
  readonly schemas?: SchemaRules;
  /** The same for changes of schemas, whether or not attributes are validated. */
  readonly administered?: SchemaRules;
  /** Debouncing of changes: the quiet period, and the longest wait. */
  readonly quietMilliseconds?: number;
  readonly longestWaitMilliseconds?: number;
  /** How long a broken set may follow a good one before it is reported: files are often written in several steps. */
  readonly graceMilliseconds?: number;
  /**
   * Where compiled sets are kept for the next start; absent: nowhere. A changed set is kept once nothing has changed for
   * `keepMilliseconds`.
   */
  readonly sets?: SetCache;
  readonly keepMilliseconds?: number;
  /** What was posted before this loop started. */
  readonly start?: CacheStart;
  /** The set in force, when the policies that it was compiled from are no longer available. */
  readonly base?: PostedSet;
}

/** A store that is being followed. */
export interface Loop {
  /** Posts the current set as a whole: a receiver could not apply a change. */
  readonly postWholeSet: () => void;
  /** Executes a command. A change is posted before its answer resolves. */
  readonly ask: ExecuteCommand;
  readonly close: () => Promise<void>;
}

/** Starts following a store; the first outcome is posted without any change. */
export function followStore(options: LoopOptions): Loop {
  const {
    store,
    quietMilliseconds = 40,
    longestWaitMilliseconds = 400,
    graceMilliseconds = 500,
    keepMilliseconds = 60_000,
    start,
  } = options;
  /** Reads and changes of the store are serialised. */
  const { inTurn, ended } = openSerialQueue();
  const reading = openStoreReading(store, start, () => options.polled?.());
  const poster = openOutcomePoster({
    post: options.post,
    graceMilliseconds,
    last: start?.staleBecause === undefined ? start?.good.kind : "unreachable",
    lastFailure: start?.staleBecause,
  });
  const encoder = openSetEncoder({
    store,
    sets: options.sets,
    keepMilliseconds,
    schemas: options.schemas,
    start,
    base: options.base,
    inTurn,
    isCurrent: (made) => made === reading.state(),
  });
  const compiler = openIncrementalCompiler({ schemas: options.schemas, start, assumePosted: encoder.assumePosted });

  const isAhead = (): boolean => reading.state() !== compiler.lastState() || poster.last() === "unreachable";
  /** Takes a state as the current one, and posts its outcome. */
  const adopt = (state: StoreState, made: CompiledState, mayPass = false): void => {
    const { compiled, milliseconds } = made;
    reading.replace(state);
    compiler.record(state, made);
    if (compiled.kind === "good") {
      void acceptRead(store, poster.postRemark); // Started at once, because the next reading is of another state.
      return poster.post(encoder.next({ state, bundle: compiled.bundle, warnings: compiled.warnings, compileMilliseconds: milliseconds }));
    }
    const errors = compiled.findings.filter(({ severity }) => severity === "error");
    const broken: BrokenOutcome = { kind: "broken", findings: errors, compileMilliseconds: milliseconds };
    if (mayPass && encoder.hasPosted()) poster.hold(broken);
    else poster.post(broken);
  };
  /** Reads changes, and compiles and posts them. */
  const look = async (): Promise<void> => {
    looking = false;
    try {
      await reading.read(false);
      if (isAhead()) compileNews();
      // The store was checked again, and the set is still broken.
      else if (compiler.lastResult()?.kind === "broken" && !poster.isHolding()) poster.post({ kind: "broken", findings: [] });
      reading.takeRemarks().forEach(poster.postRemark);
    } catch (error) {
      poster.postUnreachable(messageOf(error));
    }
  };
  const compileNews = (): void => {
    const made = compiler.compile(reading.state());
    debouncer.worked(reading.takeChangeCount(), made.milliseconds);
    adopt(reading.state(), made, options.watch && poster.last() !== "unreachable");
    const stale = reading.staleBecause();
    if (stale !== undefined) poster.postUnreachable(stale);
  };
  let looking = false;
  const debouncer = openDebouncer({
    quietMilliseconds,
    longestWaitMilliseconds,
    run: () => {
      if (!looking) void inTurn(look);
      looking = true;
    },
  });

  const refresh = async (thorough: boolean): Promise<StoreState> => {
    // A read-only store that is not watched only changes with a reload: a command must not wait for another machine.
    if (!thorough && !options.watch && store.readOnly !== undefined && compiler.lastState() !== undefined) return reading.state();
    try {
      await reading.read(thorough);
    } catch (error) {
      poster.postUnreachable(messageOf(error));
      throw error;
    }
    if (isAhead() && options.watch) debouncer.announce();
    return reading.state();
  };
  const ask = openCommandHandlers(
    {
      store,
      cache: compiler.cache,
      places: options.administered ?? { allowRefs: ["store"], allowedHosts: [] },
      refresh,
      isAhead,
      staleBecause: reading.staleBecause,
      catchUp: () => {
        const made = compiler.compile(reading.state());
        adopt(reading.state(), made);
        return made.compiled;
      },
      lastResult: compiler.lastResult,
      compile: compiler.compile,
      adopt: (next, made) => adopt(next, made),
    },
    inTurn,
  );

  if (options.watch) store.watch(debouncer.announce);
  if (start === undefined) void inTurn(look);
  return {
    postWholeSet: () => {
      compiler.compileStart();
      const whole = encoder.wholeSet();
      if (whole !== undefined) return poster.post(whole);
      if (isAhead()) debouncer.announce();
    },
    ask,
    close: async () => {
      poster.close();
      debouncer.close();
      encoder.close();
      store.cancel?.(); // otherwise a remote that does not answer would be waited for
      await ended();
      await store.close();
    },
  };
}
