/** Takes what the compile thread tells into force: good sets, one after the other; after anything else the last good one stays. */
import { invariant } from "../runtime/cel/error.ts";
import { isGood, type Good, type Outcome } from "./compile/outcome.ts";
import type { Engine } from "./engine.ts";
import type { StoreEvent } from "./observe/events.ts";
import type { Log } from "./observe/log.ts";
import { countErrors, openOutcomeLog } from "./outcome-log.ts";
import { messageOf, refusal } from "./refusal.ts";

/**
 * Who takes sets in, given with their digest, in the order in which they are given: an engine, or several processes. These
 * resolve when all of them have it, with false where it was nothing new; a change that one of them cannot take in is their
 * own affair.
 */
export interface SetTaker {
  readonly load: (...set: [...Parameters<Engine["load"]>, digest: string]) => Promise<boolean | void>;
  readonly change: (...change: [...Parameters<Engine["change"]>, digest: string]) => Promise<boolean | void>;
}

/** Where sets go, and who is told. */
export interface TakingInOptions {
  /** Puts a set in force; throws when it cannot be loaded, and then the one before stays. */
  readonly engine: SetTaker;
  readonly log: Log;
  readonly observe: (event: StoreEvent) => void;
  /** Has the whole set told once more: a change could not be taken in. */
  readonly askForWhole: () => void;
}

/** Sets on their way into force. */
export interface TakingIn {
  /** How many policy files the set in force is made of. */
  readonly policies: () => number;
  /** Takes in the first set; rejects when it is not good, because there is nothing to keep instead. */
  readonly first: (outcome: Outcome) => Promise<void>;
  /** Takes in what comes after it. */
  readonly next: (outcome: Outcome) => void;
  /** Resolves when the set that was told last is in force; rejects when it cannot be loaded. */
  readonly whenTakenIn: () => Promise<void>;
  /** Nothing that was asked for will be told any more. */
  readonly giveUp: (error: unknown) => void;
  /** Says nothing any more. */
  readonly close: () => void;
}

/** Begins with nothing in force. */
export function openTakingIn({ engine, log, observe, askForWhole }: TakingInOptions): TakingIn {
  const news = openOutcomeLog(log, observe);
  let policies = 0;
  let takenIn = Promise.resolve();
  /** The same, but for the whole that follows where a change cannot be taken in; never rejected. What is told after it waits for it. */
  let tried = Promise.resolve();
  let whole: WantedWhole | undefined;
  let closed = false;

  const load = async (outcome: Good): Promise<void> => {
    const { kind, schemas, digest } = outcome;
    // Never put together: it would be there twice.
    const isNew = await engine[kind === "set" ? "load" : "change"]([...outcome.text], schemas, digest);
    if (isNew === false || closed) return;
    policies = outcome.policies;
    news.loaded(outcome);
  };
  /** Puts a set in force, if need be by a whole one that follows. */
  const takeInSet = async (outcome: Good): Promise<void> => {
    const loading = load(outcome);
    tried = loading.catch(() => undefined);
    try {
      await loading;
    } catch (error) {
      if (closed) throw error;
      if (outcome.kind === "change") return wholeInstead();
      whole?.failed(error);
      whole = undefined;
      news.notLoaded(outcome, error);
      throw error;
    }
    whole?.loaded();
    whole = undefined;
  };
  /** The realm does not have what the change builds on: it is told everything, and until then nobody is told that it is done. */
  const wholeInstead = (): Promise<void> => {
    const { taken } = (whole ??= wantWhole());
    askForWhole();
    return taken;
  };
  return {
    policies: () => policies,
    first: async (outcome) => {
      try {
        await load(demandGood(outcome));
      } catch (error) {
        throw isGood(outcome) ? new Error(`the compiled policies could not be loaded: ${messageOf(error)}`, { cause: error }) : error;
      }
    },
    next: (outcome) => {
      if (!isGood(outcome)) return void tried.then(() => closed || news.kept(outcome));
      const taken = takeInSet(outcome);
      takenIn = taken;
      taken.catch(() => {
        if (takenIn === taken) takenIn = Promise.resolve(); // whoever waited has been told; who asks next is not concerned
      });
    },
    whenTakenIn: () => takenIn,
    giveUp: (error) => {
      whole?.failed(error);
      whole = undefined;
      takenIn = Promise.resolve();
    },
    close: () => void (closed = true),
  };
}

/** Returns a first set that is good; throws a refusal that says what is wrong with any other. */
function demandGood(outcome: Outcome): Good {
  invariant(outcome.kind !== "remark", "remarks come after what they are about");
  if (outcome.kind === "unreachable") throw refusal(outcome.message);
  if (outcome.kind === "broken") {
    const printed = outcome.findings.map((finding) => finding.printed).join("\n\n");
    throw refusal(`${printed}\n\nthe policies do not compile: ${countErrors(outcome.findings)}`);
  }
  return outcome;
}

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
