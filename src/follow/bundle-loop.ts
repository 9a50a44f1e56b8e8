/**
 * Follows a store of bundles: reads it again and again, and posts each new set. The counterpart of compile-loop.ts where nothing is
 * compiled here.
 */
import { refused, type Refused } from "../compile/commands.ts";
import type { Outcome } from "../compile/outcome.ts";
import type { StoreEvent } from "../observe/events.ts";
import { isRefusal, messageOf } from "../refusal.ts";
import { openSerialQueue } from "../serial-queue.ts";
import type { BundleReading, BundleStore } from "../store/bundle-store.ts";
import { openBundleAnswers } from "./bundle-answers.ts";
import { bundleDifference, openBundleTelling } from "./bundle-telling.ts";
import { openBurst } from "./burst.ts";
import type { Loop, LoopOptions } from "./compile-loop.ts";
import { refuseReload } from "./refuse-store.ts";

/** What is followed, and the callbacks. */
export type BundleLoopOptions = Omit<LoopOptions, "store" | "administered"> & {
  readonly store: BundleStore;
  /** Called with the result and the duration of each reading. */
  readonly observe?: (event: StoreEvent) => void;
};

/** Starts following a bundle; the first outcome is posted without any change. */
export function followBundle(options: BundleLoopOptions): Loop {
  const { store, post, settleMilliseconds = 40, patienceMilliseconds = 400 } = options;
  const telling = openBundleTelling({ place: store.name, withSchemas: options.schemas !== undefined });
  /** The error that was posted last; undefined while the store can be read. */
  let trouble: string | undefined;
  let closed = false;
  /** Readings are serialised. */
  const { inTurn, ended } = openSerialQueue();
  let looking = false;

  const tell = (outcome: Outcome): void => {
    if (!closed) post(outcome);
  };
  const tellTrouble = (message: string): void => {
    // An unreachable store is polled. The same error again is only counted, so that it does not fill the log.
    tell({ kind: "unreachable", message, ...(trouble === message && { again: true }) });
    trouble = message;
  };
  /** Reads the store and posts the outcome; returns a refusal when the store itself could not be read. */
  const look = async (thorough: boolean): Promise<Refused | undefined> => {
    try {
      const reading = await readMeasured(options, thorough);
      const same = trouble === undefined ? undefined : telling.last();
      if (reading.kind === "bundle") tell(telling.next(reading.set, reading.remarks, reading.text));
      else if (same !== undefined) tell(telling.next(same, [])); // The store is reachable again, with the same bundle.
      trouble = undefined;
      if (reading.kind !== "bundle" || reading.staleBecause === undefined) return undefined;
      tellTrouble(reading.staleBecause);
      return refused("store", reading.staleBecause);
    } catch (error) {
      tellTrouble(messageOf(error));
      return isRefusal(error) ? refuseReload(error) : refused("store", messageOf(error));
    }
  };
  const burst = openBurst({
    settle: settleMilliseconds,
    patience: patienceMilliseconds,
    run: () => {
      if (!looking)
        void inTurn(() => {
          looking = false;
          return look(false);
        });
      looking = true;
    },
  });

  const ask = openBundleAnswers({
    current: () => inTurn(async () => telling.last()),
    reload: async () => {
      const before = telling.last();
      return (await inTurn(() => look(true))) ?? bundleDifference(before, telling.last());
    },
  });

  if (options.watch) store.watch(burst.announce);
  void inTurn(() => look(false));
  return {
    postWholeSet: () => {
      const whole = telling.again();
      if (whole !== undefined) tell(whole);
    },
    ask,
    close: async () => {
      closed = true;
      burst.close();
      await ended();
      await store.close();
    },
  };
}

/** Reads the store, and reports the result and the duration. */
async function readMeasured({ store, observe, polled }: BundleLoopOptions, thorough: boolean): Promise<BundleReading> {
  const began = performance.now();
  const observed = (result: "unchanged" | "updated" | "failed"): void =>
    observe?.({ kind: "bundle read", result, milliseconds: performance.now() - began });
  try {
    const reading = await store.read(thorough);
    const isStale = reading.kind === "bundle" && reading.staleBecause !== undefined;
    observed(isStale ? "failed" : reading.kind === "bundle" ? "updated" : "unchanged");
    return reading;
  } catch (error) {
    observed("failed");
    throw error;
  } finally {
    polled?.();
  }
}
