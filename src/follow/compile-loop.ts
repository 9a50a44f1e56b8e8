/** Store -> compiled sets, again and again: reads what changed, compiles everything, tells what came out; and changes the store when asked to. Runs off the thread that answers (D21). */
import { openCompileMemory } from "../../compiler/memory.ts";
import type { Source } from "../../compiler/source.ts";
import { openAnswers, type Ask } from "./answers.ts";
import { openBurst } from "./burst.ts";
import type { Compiled } from "./change-store.ts";
import { compileSet, rememberFindings, type CompiledSet } from "../compile/compile-set.ts";
import { digest } from "../texts/digest.ts";
import { openHolding } from "./holding.ts";
import type { KeptSets } from "../compile/kept-set.ts";
import type { KeptStart } from "../compile/kept-start.ts";
import type { Broken, Outcome, Told } from "../compile/outcome.ts";
import { messageOf } from "../refusal.ts";
import { openSerialQueue } from "../serial-queue.ts";
import { checkOfSchemas, type SchemaRules, type SchemasCheck } from "../schemas/check.ts";
import type { SchemaFiles } from "../schemas/load.ts";
import { emptyState, rememberList, withChanges, type StoreState } from "../compile/store-state.ts";
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
  const {
    store,
    post,
    settleMilliseconds = 40,
    patienceMilliseconds = 400,
    graceMilliseconds = 500,
    sets,
    keepMilliseconds = 60_000,
    start,
  } = options;
  const memory = openCompileMemory();
  const findingsOf = rememberFindings();
  const listOf = rememberList<Source>();
  let state = start?.state ?? emptyState;
  let check = options.schemas && checkOfSchemas(state.schemas, options.schemas, "warning");
  /** The state that was compiled last, whatever came of it. */
  let judged: StoreState | undefined = start?.state;
  let cameOut: CompiledSet | undefined;
  let posted: Outcome["kind"] | undefined = start?.staleBecause === undefined ? start?.good.kind : "unreachable";
  /** What was told and never compiled here: until something else has to be. */
  let untried = start;
  let closed = false;
  /** Whoever reads or changes the store waits for those before. */
  const { inTurn, ended } = openSerialQueue();
  const telling = openTelling({
    store,
    sets,
    keepMilliseconds,
    schemas: options.schemas,
    start,
    base: options.base,
    inTurn,
    isCurrent: (made) => made === state,
  });
  let looking = false;

  /** What was read since the last look that found something. */
  let news = 0;
  /** They come after what was told of the reading. */
  const remarks: string[] = [];
  const sayRemark = (message: string): void => say({ kind: "remark", message });
  const remark = (): void => {
    for (const message of remarks.splice(0)) sayRemark(message);
  };
  /** Why the store was not asked itself, when its last good copy was. */
  let stale = start?.staleBecause;
  let lastFailure = stale;
  const unreachable = (message: string): void => {
    tell({ kind: "unreachable", message, ...(posted === "unreachable" && message === lastFailure && { again: true }) });
    lastFailure = message;
  };
  const absorb = async (thorough: boolean): Promise<void> => {
    options.polled?.();
    const changes = await store.read(thorough);
    stale = changes.staleBecause;
    remarks.push(...(changes.remarks ?? []));
    news += changes.changed.length + changes.removed.length + changes.changedSchemas.length + changes.removedSchemas.length;
    state = withChanges(state, changes);
  };
  const checkOf = (schemas: SchemaFiles): SchemasCheck | undefined =>
    judged === undefined || judged.schemas !== schemas ? check?.withFiles(schemas) : check;
  /** Compiles what was told without, so that a change can be told as one, and is compiled as one. */
  const compileStart = (): void => {
    if (untried === undefined) return;
    const { state: then, good: first } = untried;
    untried = undefined;
    const { compiled } = compileState(then);
    cameOut = compiled;
    if (compiled.kind === "broken" || compiled.bundle.manifest.digest !== first.digest) {
      // Only if the program that kept it was another one after all: what it made is not to stay in force.
      judged = undefined;
      return;
    }
    telling.suppose({ bundle: compiled.bundle, good: first, sources: then.sources }, compiled.warnings);
  };
  const compileState = (next: StoreState): Compiled & { readonly check: typeof check } => {
    compileStart();
    const began = performance.now();
    const nextCheck = checkOf(next.schemas);
    const compiled = compileSet(
      listOf(next.sources),
      { digest, memory, ...(nextCheck !== undefined && { schemas: nextCheck }) },
      next.unreadable,
      findingsOf,
    );
    return { compiled, milliseconds: performance.now() - began, check: nextCheck };
  };
  /** Tells what has come of a state, and from now on takes it for what there is. */
  const settle = (
    next: StoreState,
    { compiled, milliseconds, check: nextCheck }: ReturnType<typeof compileState>,
    mayPass = false,
  ): void => {
    state = judged = next;
    cameOut = compiled;
    check = nextCheck;
    if (compiled.kind === "good") {
      void acceptRead(store, sayRemark); // at once: the next reading is of another state
      return tell(telling.next({ state, bundle: compiled.bundle, warnings: compiled.warnings, compileMilliseconds: milliseconds }));
    }
    const errors = compiled.findings.filter(({ severity }) => severity === "error");
    const broken: Broken = { kind: "broken", findings: errors, compileMilliseconds: milliseconds };
    if (!mayPass || !telling.hasTold()) return tell(broken);
    posted = "broken";
    const before = passing.hold(broken);
    if (before !== undefined) say({ ...before, passed: true });
  };
  const isAhead = (): boolean => state !== judged || posted === "unreachable";
  const look = async (): Promise<void> => {
    looking = false;
    try {
      await absorb(false);
      if (!isAhead()) {
        // It was looked at once more, and is no better.
        if (cameOut?.kind === "broken" && passing.isEmpty()) tell({ kind: "broken", findings: [] });
        return remark();
      }
      const compiled = compileState(state);
      burst.worked(news, compiled.milliseconds);
      news = 0;
      settle(state, compiled, options.watch && posted !== "unreachable");
      if (stale !== undefined) unreachable(stale);
      remark();
    } catch (error) {
      unreachable(messageOf(error));
    }
  };
  const say = (outcome: Outcome): void => {
    if (!closed) post(outcome);
  };
  const tell = (outcome: Outcome): void => {
    const before = passing.take();
    if (before !== undefined) say(outcome.kind === "unreachable" ? before : { ...before, passed: true });
    posted = outcome.kind;
    say(outcome);
  };
  const passing = openHolding<Broken>(graceMilliseconds, say);
  const burst = openBurst({
    settle: settleMilliseconds,
    patience: patienceMilliseconds,
    run: () => {
      if (!looking) void inTurn(look);
      looking = true;
    },
  });

  const ask = openAnswers(
    {
      store,
      memory,
      places: options.administered ?? { allowRefs: ["store"], allowedHosts: [] },
      refresh: async (thorough) => {
        // Where nobody watches and nobody writes, news come with a reload alone: a question must not wait for another machine.
        if (!thorough && !options.watch && store.readOnly !== undefined && judged !== undefined) return state;
        try {
          await absorb(thorough);
        } catch (error) {
          unreachable(messageOf(error));
          throw error;
        }
        if (isAhead() && options.watch) burst.announce();
        return state;
      },
      isAhead,
      staleBecause: () => stale,
      catchUp: () => {
        const next = compileState(state);
        settle(state, next);
        return next.compiled;
      },
      standing: () => cameOut,
      compile: compileState,
      settle: (next, compiled) => settle(next, { ...compiled, check: checkOf(next.schemas) }),
    },
    inTurn,
  );

  if (options.watch) store.watch(burst.announce);
  if (start === undefined) void inTurn(look);
  return {
    tellWhole: () => {
      compileStart();
      const whole = telling.again();
      if (whole !== undefined) return tell(whole);
      if (isAhead()) burst.announce();
    },
    ask,
    close: async () => {
      closed = true;
      burst.close();
      telling.close();
      passing.take();
      await ended();
      await store.close();
    },
  };
}
