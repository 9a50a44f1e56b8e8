/** The policy set in force: compiled in a thread, switched when it is valid, kept when the next one is not. */
import type { Answers, Command } from "./compile/commands.ts";
import { otherContents, unclearContents } from "./compile/compare-contents.ts";
import { startCompileThread, type CompileThread, type CompileThreadData } from "./compile/compile-thread.ts";
import { startWithoutThread, type ThreadlessStart } from "./compile/start-without-thread.ts";
import type { Outcome } from "./compile/outcome.ts";
import type { StoreEvent } from "./observe/events.ts";
import type { Log } from "./observe/log.ts";
import { optimiseLater } from "./process/optimise-later.ts";
import { limitYoungGeneration } from "./process/garbage-collection.ts";
import { refusal } from "./refusal.ts";
import { endsWithItsThread, watches } from "./store/index.ts";
import { openActivation, type SetReceiver, type Activation } from "./activation.ts";

/** The source and the receiver of policy sets. */
export interface LiveOptions extends CompileThreadData {
  /** Loads sets; throws when one cannot be loaded, and then the previous one stays. */
  readonly engine: SetReceiver;
  readonly log: Log;
  /** Called with events of the store. */
  readonly observe?: (event: StoreEvent) => void;
}

/** The set in force. */
export interface Live {
  /** Returns the number of policy files in the set in force. */
  readonly policies: () => number;
  /**
   * Sends a command to the compile thread. A change is in force before the answer resolves (D21). Rejects with a refusal when the
   * thread cannot answer.
   */
  readonly ask: <C extends Command>(command: C) => Promise<Answers[C["kind"]]>;
  /** Sends the whole set to the engine again, if the store is followed. */
  readonly postWholeSet: () => void;
  readonly close: () => Promise<void>;
}

/** Puts the first set in force, and follows the store from then on; rejects with a refusal when there is none. */
export async function openLive(options: LiveOptions): Promise<Live> {
  // Nothing will change, and no commands will be sent.
  const isSettled = !watches(options.storage) && options.administered === undefined;
  const follower = openFollower(options);
  const known = await startKnown(options, isSettled, follower.activation);
  if (known === undefined) return startCompiling(follower, isSettled);
  follower.noteFirst();
  return isSettled ? compareAfterwards(follower, known, options.log) : followSoon(follower, known);
}

/** The thread, and the handling of its messages. */
interface Follower {
  readonly activation: Activation;
  /** Starts the thread. */
  readonly start: (already?: Pick<CompileThreadData, "inForce">) => CompileThread;
  /** Reports that the first set is in force: outcomes that have arrived meanwhile are handled, and later ones at once. */
  readonly noteFirst: () => void;
  /** Returns the interface for users of the set; `begin` starts the thread if it is needed and not running yet. */
  readonly opened: (ask: Live["ask"], begin?: () => CompileThread) => Live;
}

function openFollower(options: LiveOptions): Follower {
  const { log, storage, engine, observe = () => undefined } = options;
  /** Outcomes that arrive before the first set is in force wait for it. */
  let early: Outcome[] | undefined = [];
  let thread: CompileThread | undefined;
  let begin = (): CompileThread | undefined => thread;
  const postWholeSet = (): void => begin()?.postWholeSet();
  const activation = openActivation({ engine, log, observe, requestWholeSet: postWholeSet });
  return {
    activation,
    start: (already = {}) =>
      (thread = startCompileThread({
        ...options,
        ...already,
        outcome: (outcome) => (early === undefined ? activation.next(outcome) : void early.push(outcome)),
        polled: () => observe({ kind: "polled" }),
        observed: observe,
        restarts: !endsWithItsThread(storage),
        failed: (error, again) => {
          if (early !== undefined) return; // whoever starts the server gets the error
          activation.giveUp(error);
          log.error({ err: error }, again ? startedAgain : notStartedAgain);
        },
        whenActive: activation.whenActive,
      })),
    noteFirst: () => {
      const [, ...rest] = early ?? [];
      early = undefined;
      rest.forEach(activation.next);
    },
    opened: (ask, beginsWith) => {
      begin = beginsWith ?? begin;
      return {
        policies: activation.policies,
        ask,
        postWholeSet,
        close: async () => {
          activation.close();
          await thread?.close();
        },
      };
    },
  };
}

const startedAgain = "the compile thread failed and is started again: the last good set keeps answering";
const notStartedAgain =
  "the compile thread failed, and all that was stored in the in-memory database is lost: the last good set keeps answering, and nothing can be changed until the server is started again";

/** Puts in force what an earlier start validated, if it is known to be unchanged. */
async function startKnown(options: LiveOptions, isSettled: boolean, activation: Activation): Promise<ThreadlessStart | undefined> {
  const allowGrowth = limitYoungGeneration();
  try {
    const found = await startWithoutThread(options, isSettled, options.observe ?? (() => undefined));
    if (found !== undefined) await activation.first(found.good);
    return found;
  } finally {
    allowGrowth();
  }
}

/**
 * For a store that is not followed: files that were recognised by their stamps are compared afterwards, and compiled once if they
 * differ.
 */
function compareAfterwards({ start, opened }: Follower, known: ThreadlessStart, log: Log): Live {
  const stop = known.compare?.((result) => {
    log.warn(result === "other" ? otherContents : unclearContents);
    if (result !== "other") return;
    const thread = start();
    void thread.first.then(thread.close, () => undefined); // a failure has been reported
  });
  const live = opened(nobodyAnswers);
  return { ...live, close: async () => (stop?.(), await live.close()) };
}

/** Follows the store a little later, because requests come first. */
function followSoon({ start, opened }: Follower, { inForce }: ThreadlessStart): Live {
  let thread: CompileThread | undefined;
  const beginOnce = (): CompileThread => {
    if (thread !== undefined) return thread;
    thread = start(inForce && { inForce });
    thread.first.catch(() => undefined); // it has been reported
    return thread;
  };
  const beginning = setTimeout(beginOnce, followAfter);
  const live = opened((command) => beginOnce().ask(command), beginOnce);
  return { ...live, close: async () => (clearTimeout(beginning), await live.close()) };
}

/**
 * The delay in milliseconds before following a store whose set was put in force without reading it. Changes in between are noticed
 * then.
 */
const followAfter = 1000;

/** Waits for the first set of the thread. */
async function startCompiling({ activation, start, noteFirst, opened }: Follower, isSettled: boolean): Promise<Live> {
  // Compiling thousands of policies is one run of much code; afterwards, functions are optimised as usual.
  const optimiseAgain = optimiseLater();
  const thread = start();
  try {
    const first = await thread.first.finally(optimiseAgain);
    // The compiler's memory is freed before the set is loaded.
    if (isSettled) await thread.close();
    const allowGrowth = limitYoungGeneration();
    await activation.first(first).finally(allowGrowth);
  } catch (error) {
    await thread.close();
    throw error;
  }
  noteFirst();
  return opened(thread.ask);
}

const nobodyAnswers = async (): Promise<never> => {
  throw refusal("policies can be neither inspected nor changed: this server does not follow its store");
};
