/**
 * Follows a store of policies: reads changes, compiles, posts the outcome, again and again; and executes changes of the store. Runs in
 * the compile thread (D21).
 */
import { openAnswers, type Ask } from "./answers.ts";
import { openBurst } from "./burst.ts";
import { openCompiling, type CompiledState } from "./compiling.ts";
import type { KeptSets } from "../compile/kept-set.ts";
import type { KeptStart } from "../compile/kept-start.ts";
import type { Broken, Outcome, Told } from "../compile/outcome.ts";
import { openPosting } from "./posting.ts";
import { openReading } from "./reading.ts";
import { messageOf } from "../refusal.ts";
import { openSerialQueue } from "../serial-queue.ts";
import type { SchemaRules } from "../schemas/check.ts";
import type { StoreState } from "../compile/store-state.ts";
import { acceptRead } from "../store/accept.ts";
import type { Store } from "../store/store.ts";
import { openTelling } from "./telling.ts";

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
  readonly settleMilliseconds?: number;
  readonly patienceMilliseconds?: number;
  /** How long a broken set may follow a good one before it is reported: files are often written in several steps. */
  readonly graceMilliseconds?: number;
  /**
   * Where compiled sets are kept for the next start; absent: nowhere. A changed set is kept once nothing has changed for
   * `keepMilliseconds`.
   */
  readonly sets?: KeptSets;
  readonly keepMilliseconds?: number;
  /** What was posted before this loop started. */
  readonly start?: KeptStart;
  /** The set in force, when the policies that it was compiled from are no longer available. */
  readonly base?: Told;
}

/** A store that is being followed. */
export interface Loop {
  /** Posts the current set as a whole: a receiver could not apply a change. */
  readonly postWholeSet: () => void;
  /** Executes a command. A change is posted before its answer resolves. */
  readonly ask: Ask;
  readonly close: () => Promise<void>;
}

/** Starts following a store; the first outcome is posted without any change. */
export function followStore(options: LoopOptions): Loop {
  const { store, settleMilliseconds = 40, patienceMilliseconds = 400, graceMilliseconds = 500, keepMilliseconds = 60_000, start } = options;
  /** Reads and changes of the store are serialised. */
  const { inTurn, ended } = openSerialQueue();
  const reading = openReading(store, start, () => options.polled?.());
  const posting = openPosting({
    post: options.post,
    graceMilliseconds,
    last: start?.staleBecause === undefined ? start?.good.kind : "unreachable",
    lastFailure: start?.staleBecause,
  });
  const telling = openTelling({
    store,
    sets: options.sets,
    keepMilliseconds,
    schemas: options.schemas,
    start,
    base: options.base,
    inTurn,
    isCurrent: (made) => made === reading.state(),
  });
  const compiling = openCompiling({ schemas: options.schemas, start, suppose: telling.suppose });

  const isAhead = (): boolean => reading.state() !== compiling.judged() || posting.last() === "unreachable";
  /** Takes a state as the current one, and posts its outcome. */
  const settle = (state: StoreState, made: CompiledState, mayPass = false): void => {
    const { compiled, milliseconds } = made;
    reading.take(state);
    compiling.judge(state, made);
    if (compiled.kind === "good") {
      void acceptRead(store, posting.remark); // Started at once, because the next reading is of another state.
      return posting.tell(telling.next({ state, bundle: compiled.bundle, warnings: compiled.warnings, compileMilliseconds: milliseconds }));
    }
    const errors = compiled.findings.filter(({ severity }) => severity === "error");
    const broken: Broken = { kind: "broken", findings: errors, compileMilliseconds: milliseconds };
    if (mayPass && telling.hasTold()) posting.hold(broken);
    else posting.tell(broken);
  };
  /** Reads changes, and compiles and posts them. */
  const look = async (): Promise<void> => {
    looking = false;
    try {
      await reading.read(false);
      if (isAhead()) compileNews();
      // The store was checked again, and the set is still broken.
      else if (compiling.standing()?.kind === "broken" && !posting.isHolding()) posting.tell({ kind: "broken", findings: [] });
      reading.takeRemarks().forEach(posting.remark);
    } catch (error) {
      posting.tellUnreachable(messageOf(error));
    }
  };
  const compileNews = (): void => {
    const made = compiling.compile(reading.state());
    burst.worked(reading.takeNews(), made.milliseconds);
    settle(reading.state(), made, options.watch && posting.last() !== "unreachable");
    const stale = reading.staleBecause();
    if (stale !== undefined) posting.tellUnreachable(stale);
  };
  let looking = false;
  const burst = openBurst({
    settle: settleMilliseconds,
    patience: patienceMilliseconds,
    run: () => {
      if (!looking) void inTurn(look);
      looking = true;
    },
  });

  const refresh = async (thorough: boolean): Promise<StoreState> => {
    // A read-only store that is not watched only changes with a reload: a command must not wait for another machine.
    if (!thorough && !options.watch && store.readOnly !== undefined && compiling.judged() !== undefined) return reading.state();
    try {
      await reading.read(thorough);
    } catch (error) {
      posting.tellUnreachable(messageOf(error));
      throw error;
    }
    if (isAhead() && options.watch) burst.announce();
    return reading.state();
  };
  const ask = openAnswers(
    {
      store,
      cache: compiling.cache,
      places: options.administered ?? { allowRefs: ["store"], allowedHosts: [] },
      refresh,
      isAhead,
      staleBecause: reading.staleBecause,
      catchUp: () => {
        const made = compiling.compile(reading.state());
        settle(reading.state(), made);
        return made.compiled;
      },
      standing: compiling.standing,
      compile: compiling.compile,
      settle: (next, made) => settle(next, made),
    },
    inTurn,
  );

  if (options.watch) store.watch(burst.announce);
  if (start === undefined) void inTurn(look);
  return {
    postWholeSet: () => {
      compiling.compileStart();
      const whole = telling.again();
      if (whole !== undefined) return posting.tell(whole);
      if (isAhead()) burst.announce();
    },
    ask,
    close: async () => {
      posting.close();
      burst.close();
      telling.close();
      await ended();
      await store.close();
    },
  };
}
