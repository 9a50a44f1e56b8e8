/** The policy set in force: compiled in a thread of its own, swapped in when it is good, kept when the next one is not. */
import { invariant } from "../runtime/cel/error.ts";
import { mostFindings, type Answers, type Command } from "./compile/commands.ts";
import { isGood, type Good, type Outcome } from "./compile/outcome.ts";
import type { Finding } from "./compile/compile-set.ts";
import { startCompileThread, type CompileThread, type CompileWork } from "./compile/compile-thread.ts";
import { otherContents, unclearContents } from "./compile/compare-contents.ts";
import { count } from "./count.ts";
import type { Engine } from "./engine.ts";
import type { StoreEvent } from "./observe/events.ts";
import type { Log } from "./observe/log.ts";
import { knownStart, type KnownStart } from "./compile/known-start.ts";
import { optimiseLater } from "./process/optimise-later.ts";
import { messageOf, refusal } from "./refusal.ts";
import { keepYoungSmall } from "./process/steady-heap.ts";
import { endsWithItsThread, watches } from "./store/index.ts";

/** Where policies come from, and where they go. */
export interface LiveOptions extends CompileWork {
  /** Puts a set in force; throws when it cannot be loaded, and then the one before stays. */
  readonly engine: SetTaker;
  readonly log: Log;
  /** Told of what happens around the store. */
  readonly observe?: (event: StoreEvent) => void;
}

/**
 * Who takes sets in, given with their digest, in the order in which they are given: an engine, or several processes. These
 * resolve when all of them have it, with false where it was nothing new; a change that one of them cannot take in is their
 * own affair.
 */
export interface SetTaker {
  readonly load: (...set: [...Parameters<Engine["load"]>, digest: string]) => Promise<boolean | void>;
  readonly change: (...change: [...Parameters<Engine["change"]>, digest: string]) => Promise<boolean | void>;
}

/** The set in force. */
export interface Live {
  /** How many policy files the set in force is made of. */
  readonly policies: () => number;
  /** Asks the thread that compiles. A change of the store is in force before its answer is here (D21). Rejects, with a refusal, when the thread cannot answer. */
  readonly ask: <C extends Command>(command: C) => Promise<Answers[C["kind"]]>;
  /** Has the whole set told to the engine once more, where the store is followed. */
  readonly tellWhole: () => void;
  readonly close: () => Promise<void>;
}

/** Starts the thread and waits for the first set; rejects with a refusal when there is none. */
export async function openLive(options: LiveOptions): Promise<Live> {
  const { log, storage, engine } = options;
  const observe = options.observe ?? (() => undefined);
  let policies = 0;
  /** What is told before the first set is in force waits for it. */
  let early: Outcome[] | undefined = [];
  /** The set that was told last, on its way into force; rejected when it cannot be loaded. */
  let takenIn = Promise.resolve();
  /** The same, but for the whole that follows where a change cannot be taken in; never rejected. What is told after it waits for it. */
  let tried = Promise.resolve();
  let whole: WantedWhole | undefined;
  let closed = false;

  /** The set in force is not what the store holds. */
  let isApart = false;

  const load = async (outcome: Good): Promise<void> => {
    const { kind, schemas, digest } = outcome;
    // Never put together: it would be there twice.
    const isNew = await engine[kind === "set" ? "load" : "change"]([...outcome.text], schemas, digest);
    if (isNew !== false && !closed) loaded(outcome);
  };
  const loaded = (outcome: Good): void => {
    policies = outcome.policies;
    for (const warning of outcome.warnings) log.warn(fields(warning), sentence(warning));
    log.info({ "authz.policies": policies, "authz.policy_set": outcome.digest }, `policies loaded from ${count(policies, "file")}`);
    if (isApart) log.info("the policies are good again: what the store holds is in force");
    isApart = false;
    const { created, updated, deleted } = outcome;
    observe({ kind: "loaded", at: Date.now(), ...costOf(outcome), policies, created, updated, deleted });
  };
  const failed = (outcome: { readonly compileMilliseconds?: number }): void => {
    isApart = true;
    observe({ kind: "failed", ...costOf(outcome) });
  };
  const notLoaded = (outcome: Good, error: unknown): void => {
    log.error({ err: error }, "the changed policies could not be loaded: the last good set keeps answering");
    failed(outcome);
  };
  /** Puts a set in force, if need be by a whole one that follows. */
  const takeInSet = async (outcome: Good): Promise<void> => {
    const loading = load(outcome);
    tried = loading.catch(() => undefined);
    try {
      await loading;
    } catch (error) {
      if (closed) throw error;
      if (outcome.kind === "change") return askForWhole();
      whole?.failed(error);
      whole = undefined;
      notLoaded(outcome, error);
      throw error;
    }
    whole?.loaded();
    whole = undefined;
  };
  const takeIn = (outcome: Outcome): void => {
    if (!isGood(outcome)) return void tried.then(() => closed || takeNote(outcome));
    const taken = takeInSet(outcome);
    takenIn = taken;
    taken.catch(() => {
      if (takenIn === taken) takenIn = Promise.resolve(); // whoever waited has been told; who asks next is not concerned
    });
  };
  const takeNote = (outcome: Exclude<Outcome, Good>): void => {
    switch (outcome.kind) {
      case "broken":
        if (outcome.passed === true) return observe({ kind: "passed", ...costOf(outcome) });
        if (outcome.findings.length === 0) return failed(outcome); // as before
        for (const finding of outcome.findings.slice(0, mostFindings))
          log[finding.severity === "error" ? "error" : "warn"](fields(finding), sentence(finding));
        log.error(`${countErrors(outcome.findings)} in the changed policies: the last good set keeps answering`);
        return failed(outcome);
      case "unreachable":
        if (outcome.again !== true) log.error(`${outcome.message}: the last good set keeps answering`);
        return failed({});
      case "remark":
        log.warn(outcome.message);
    }
  };
  /** The realm does not have what the change builds on: it is told everything, and until then nobody is told that it is done. */
  const askForWhole = (): Promise<void> => {
    const { taken } = (whole ??= wantWhole());
    begin()?.tellWhole();
    return taken;
  };

  const startThread = (already: Pick<CompileWork, "inForce"> = {}): CompileThread =>
    startCompileThread({
      ...options,
      ...already,
      outcome: (outcome) => (early === undefined ? takeIn(outcome) : void early.push(outcome)),
      polled: () => observe({ kind: "polled" }),
      observed: observe,
      restarts: !endsWithItsThread(storage),
      failed: (error, again) => {
        if (early !== undefined) return; // whoever starts is told
        whole?.failed(error);
        whole = undefined;
        takenIn = Promise.resolve();
        log.error(
          { err: error },
          again
            ? "the compile thread failed and is started again: the last good set keeps answering"
            : "the compile thread failed, and all that was stored in the in-memory database is lost: the last good set keeps answering, and nothing can be changed until the server is started again",
        );
      },
      whenTakenIn: () => takenIn,
    });
  let thread: CompileThread | undefined;
  /** The thread, begun where it has not been yet; there is none where nothing is followed. */
  let begin = (): CompileThread | undefined => thread;
  const opened = (ask: Live["ask"]): Live => ({
    policies: () => policies,
    ask,
    tellWhole: () => begin()?.tellWhole(),
    close: async () => {
      closed = true;
      await thread?.close();
    },
  });

  // Nothing will change, and nobody will ask.
  const isSettled = !watches(storage) && options.administered === undefined;
  const startKnown = async (): Promise<KnownStart | undefined> => {
    const growAsEver = keepYoungSmall();
    try {
      const found = await knownStart(options, isSettled, observe);
      if (found !== undefined) await loadFirst(found.good, load);
      return found;
    } finally {
      growAsEver();
    }
  };
  const known = await startKnown();
  if (known !== undefined) {
    early = undefined;
    if (isSettled) {
      const stop = known.compare?.((result) => {
        log.warn(result === "other" ? otherContents : unclearContents);
        if (result !== "other") return;
        thread = startThread();
        void thread.first.then(thread.close, () => undefined); // a failure has been told
      });
      const live = opened(nobodyAnswers);
      return { ...live, close: async () => (stop?.(), await live.close()) };
    }
    const { inForce } = known;
    const beginOnce = (): CompileThread => {
      if (thread !== undefined) return thread;
      thread = startThread(inForce && { inForce });
      thread.first.catch(() => undefined); // it has been told
      return thread;
    };
    begin = beginOnce;
    const beginning = setTimeout(beginOnce, followAfter);
    const live = opened((command) => beginOnce().ask(command));
    return { ...live, close: async () => (clearTimeout(beginning), await live.close()) };
  }

  // Compiling thousands of policies is one run of much code; what answers from then on is optimised as ever.
  const optimiseAsEver = optimiseLater();
  thread = startThread();

  try {
    const first = await thread.first.finally(optimiseAsEver);
    // What was compiled with is given back before what was compiled takes its room.
    if (isSettled) await thread.close();
    const growAsEver = keepYoungSmall();
    await loadFirst(first, load).finally(growAsEver);
  } catch (error) {
    await thread.close();
    throw error;
  }
  const [, ...rest] = early;
  early = undefined;
  rest.forEach(takeIn);

  return opened(thread.ask);
}

/** When a store is followed whose set was put in force without reading it, in milliseconds: first it is answered. What happens meanwhile is seen then. */
const followAfter = 1000;

/** A set that is to be told once more, as a whole, on its way. */
interface WantedWhole {
  readonly taken: Promise<void>;
  readonly loaded: () => void;
  readonly failed: (error: unknown) => void;
}

function wantWhole(): WantedWhole {
  let ends: Omit<WantedWhole, "taken"> = { loaded: () => undefined, failed: () => undefined };
  const taken = new Promise<void>((loaded, failed) => void (ends = { loaded, failed }));
  taken.catch(() => undefined); // whoever waits for it is told
  return { taken, ...ends };
}

const nobodyAnswers = async (): Promise<never> => {
  throw refusal("nothing can be asked about the policies, and nothing changed: this server does not follow them");
};

/** The first set must be good: there is nothing to keep instead. */
async function loadFirst(outcome: Outcome, load: (outcome: Good) => Promise<void>): Promise<void> {
  invariant(outcome.kind !== "remark", "remarks come after what they are about");
  if (outcome.kind === "unreachable") throw refusal(outcome.message);
  if (outcome.kind === "broken") {
    const printed = outcome.findings.map((finding) => finding.printed).join("\n\n");
    throw refusal(`${printed}\n\nthe policies do not compile: ${countErrors(outcome.findings)}`);
  }
  try {
    await load(outcome);
  } catch (error) {
    throw new Error(`the compiled policies could not be loaded: ${messageOf(error)}`, { cause: error });
  }
}

const costOf = ({ compileMilliseconds }: { readonly compileMilliseconds?: number }): { readonly compileMilliseconds?: number } =>
  compileMilliseconds === undefined ? {} : { compileMilliseconds };

const countErrors = (findings: readonly Finding[]): string =>
  count(findings.filter((finding) => finding.severity === "error").length, "error");

function sentence(finding: Finding): string {
  return `${finding.place}: ${finding.message}${finding.hint === undefined ? "" : ` (${finding.hint})`}`;
}

function fields(finding: Finding): { readonly [name: string]: string } {
  return { "authz.diagnostic.code": finding.code, "authz.diagnostic.place": finding.place };
}
