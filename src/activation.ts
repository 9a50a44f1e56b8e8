/** Puts the sets of the compile thread in force, one after the other; after any other outcome the last good one stays. */
import { invariant } from "../runtime/cel/error.ts";
import { isGoodOutcome, type GoodOutcome, type Outcome } from "./compile/outcome.ts";
import type { Engine } from "./engine.ts";
import type { StoreEvent } from "./observe/events.ts";
import type { Log } from "./observe/log.ts";
import { countErrors, openOutcomeLog } from "./outcome-log.ts";
import { messageOf, refusal } from "./refusal.ts";

/**
 * The receiver of sets, each with its digest, in order: an engine, or several processes. With several, the promise resolves when all of
 * them have loaded the set, to false if it was not new; a change that one of them cannot apply is handled there.
 */
export interface SetReceiver {
  readonly load: (...set: [...Parameters<Engine["load"]>, digest: string]) => Promise<boolean | void>;
  readonly change: (...change: [...Parameters<Engine["change"]>, digest: string]) => Promise<boolean | void>;
}

/** The receiver, and the callbacks. */
export interface ActivationOptions {
  /** Loads sets; throws when one cannot be loaded, and then the previous one stays. */
  readonly engine: SetReceiver;
  readonly log: Log;
  readonly observe: (event: StoreEvent) => void;
  /** Requests the whole set, because a change could not be applied. */
  readonly requestWholeSet: () => void;
}

/** Puts sets in force. */
export interface Activation {
  /** Returns the number of policy files in the set in force. */
  readonly policies: () => number;
  /** Handles the first outcome; rejects when it is not a set, because there is no previous one to keep. */
  readonly first: (outcome: Outcome) => Promise<void>;
  /** Handles a later outcome. */
  readonly next: (outcome: Outcome) => void;
  /** Resolves when the last posted set is in force; rejects when it cannot be loaded. */
  readonly whenActive: () => Promise<void>;
  /** Rejects what is still waited for: the compile thread failed, and will not post it. Until it posts a set again, nothing is known of the store. */
  readonly giveUp: (error: unknown) => void;
  /** Ends logging and reporting. */
  readonly close: () => void;
}

/** Opens it; nothing is in force. */
export function openActivation({ engine, log, observe, requestWholeSet }: ActivationOptions): Activation {
  const news = openOutcomeLog(log, observe);
  let policies = 0;
  let active = Promise.resolve();
  /** The same without the whole set that replaces a failed change; never rejects. Later outcomes wait for it. */
  let tried = Promise.resolve();
  let whole: RequestedSet | undefined;
  /** Whether the next set is the first of another compile thread: it tells what the store holds, even if that is in force already. */
  let isAnew = false;
  let closed = false;

  const load = async (outcome: GoodOutcome): Promise<void> => {
    const { kind, schemas, digest } = outcome;
    const isNews = isAnew;
    isAnew = false;
    // The pieces are not joined, because that would double the memory.
    const isNew = await engine[kind === "set" ? "load" : "change"]([...outcome.text], schemas, digest);
    if ((isNew === false && !isNews) || closed) return;
    policies = outcome.policies;
    news.loaded(outcome);
  };
  /** Puts a set in force, if necessary through a whole set that is requested. */
  const activate = async (outcome: GoodOutcome): Promise<void> => {
    const loading = load(outcome);
    tried = loading.catch(() => undefined);
    try {
      await loading;
    } catch (error) {
      if (closed) throw error;
      if (outcome.kind === "change") return activateWholeSet();
      whole?.failed(error);
      whole = undefined;
      news.notLoaded(outcome, error);
      throw error;
    }
    whole?.loaded();
    whole = undefined;
  };
  /** The sandbox does not have the base of the change: the whole set is requested, and completion is reported only after it. */
  const activateWholeSet = (): Promise<void> => {
    const { activated } = (whole ??= requestSet());
    requestWholeSet();
    return activated;
  };
  return {
    policies: () => policies,
    first: async (outcome) => {
      try {
        await load(demandGoodOutcome(outcome));
      } catch (error) {
        throw isGoodOutcome(outcome)
          ? new Error(`the compiled policies could not be loaded: ${messageOf(error)}`, { cause: error })
          : error;
      }
    },
    next: (outcome) => {
      if (!isGoodOutcome(outcome)) return void tried.then(() => closed || news.kept(outcome));
      const activated = activate(outcome);
      active = activated;
      activated.catch(() => {
        if (active === activated) active = Promise.resolve(); // Whoever waited got the error; it does not concern later callers.
      });
    },
    whenActive: () => active,
    giveUp: (error) => {
      whole?.failed(error);
      whole = undefined;
      active = Promise.resolve();
      isAnew = true;
      news.unfollowed();
    },
    close: () => void (closed = true),
  };
}

/** Returns the first set; throws a refusal for any other outcome. */
function demandGoodOutcome(outcome: Outcome): GoodOutcome {
  invariant(outcome.kind !== "remark", "remarks come after what they are about");
  if (outcome.kind === "unreachable") throw refusal(outcome.message);
  if (outcome.kind === "broken") {
    const printed = outcome.findings.map((finding) => finding.printed).join("\n\n");
    throw refusal(`${printed}\n\nthe policies do not compile: ${countErrors(outcome.findings)}`);
  }
  return outcome;
}

/** A whole set that has been requested. */
interface RequestedSet {
  readonly activated: Promise<void>;
  readonly loaded: () => void;
  readonly failed: (error: unknown) => void;
}

function requestSet(): RequestedSet {
  let ends: Omit<RequestedSet, "activated"> = { loaded: () => undefined, failed: () => undefined };
  const activated = new Promise<void>((loaded, failed) => void (ends = { loaded, failed }));
  activated.catch(() => undefined); // whoever awaits it gets the error
  return { activated: activated, ...ends };
}
