/** Follows a store of policies: reads what changed, compiles, tells the outcome, again and again; and changes the store when asked to. Runs off the thread that answers (D21). */
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

/** What is followed, and who is told. */
export interface LoopOptions {
  readonly store: Store;
  readonly watch: boolean;
  readonly post: (outcome: Outcome) => void;
  /** Told whenever the store has been asked whether anything is new. */
  readonly polled?: () => void;
  /** Where schemas may come from; absent: nobody looks at schemas. */
  readonly schemas?: SchemaRules;
  /** The same for those who change schemas, whether or not attributes are validated by them. */
  readonly administered?: SchemaRules;
  /** A burst of changes is one change: how long the store must be quiet, and how long a burst may keep us waiting. */
  readonly settleMilliseconds?: number;
  readonly patienceMilliseconds?: number;
  /** How long a set that was good and is broken may stay so before that is told: files are seldom written at once. */
  readonly graceMilliseconds?: number;
  /** Where sets are kept for the next start; absent: nowhere. A changed one is kept once nothing has changed for so long. */
  readonly sets?: KeptSets;
  readonly keepMilliseconds?: number;
  /** What has been told before this begins. */
  readonly start?: KeptStart;
  /** The set in force, where the policies that it was made from are not there any more. */
  readonly base?: Told;
}

/** A store that is being followed. */
export interface Loop {
  /** Tells of the set once more, as a whole: whoever was told of a change could not build on what it has. */
  readonly tellWhole: () => void;
  /** Does what is asked. A change of the store is told of before its answer is there. */
  readonly ask: Ask;
  readonly close: () => Promise<void>;
}

/** Starts to follow a store; the first outcome comes without any change. */
export function followStore(options: LoopOptions): Loop {
  const { store, settleMilliseconds = 40, patienceMilliseconds = 400, graceMilliseconds = 500, keepMilliseconds = 60_000, start } = options;
  /** Whoever reads or changes the store waits for those before. */
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
  /** Tells what has come of a state, and from now on takes it for what there is. */
  const settle = (state: StoreState, made: CompiledState, mayPass = false): void => {
    const { compiled, milliseconds } = made;
    reading.take(state);
    compiling.judge(state, made);
    if (compiled.kind === "good") {
      void acceptRead(store, posting.remark); // at once: the next reading is of another state
      return posting.tell(telling.next({ state, bundle: compiled.bundle, warnings: compiled.warnings, compileMilliseconds: milliseconds }));
    }
    const errors = compiled.findings.filter(({ severity }) => severity === "error");
    const broken: Broken = { kind: "broken", findings: errors, compileMilliseconds: milliseconds };
    if (mayPass && telling.hasTold()) posting.hold(broken);
    else posting.tell(broken);
  };
  /** Reads what is new, and compiles and tells it. */
  const look = async (): Promise<void> => {
    looking = false;
    try {
      await reading.read(false);
      if (isAhead()) compileNews();
      // It was looked at once more, and is no better.
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
    // Where nobody watches and nobody writes, news come with a reload alone: a question must not wait for another machine.
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
      memory: compiling.memory,
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
    tellWhole: () => {
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
