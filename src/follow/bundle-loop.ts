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
import { openBundleCommandHandlers } from "./bundle-command-handlers.ts";
import { bundleDifference, openBundleEncoder } from "./bundle-encoder.ts";
import { openDebouncer } from "./debouncer.ts";
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
  const { store, post, quietMilliseconds = 40, longestWaitMilliseconds = 400 } = options;
  const encoder = openBundleEncoder({ place: store.name, withSchemas: options.schemas !== undefined });
  /** The error that was posted last; undefined while the store can be read. */
  let trouble: string | undefined;
  let closed = false;
  /** Readings are serialised. */
  const { inTurn, ended } = openSerialQueue();
  let looking = false;

  const send = (outcome: Outcome): void => {
    if (!closed) post(outcome);
  };
  const postTrouble = (message: string): void => {
    // An unreachable store is polled. The same error again is only counted, so that it does not fill the log.
    send({ kind: "unreachable", message, ...(trouble === message && { again: true }) });
    trouble = message;
  };
  /** Reads the store and posts the outcome; returns a refusal when the store itself could not be read. */
  const look = async (thorough: boolean): Promise<Refused | undefined> => {
    try {
      const reading = await readMeasured(options, thorough);
      const same = trouble === undefined ? undefined : encoder.last();
      if (reading.kind === "bundle") send(encoder.next(reading.set, reading.remarks, reading.text));
      else if (same !== undefined) send(encoder.next(same, [])); // The store is reachable again, with the same bundle.
      trouble = undefined;
      if (reading.kind !== "bundle" || reading.staleBecause === undefined) return undefined;
      postTrouble(reading.staleBecause);
      return refused("store", reading.staleBecause);
    } catch (error) {
      postTrouble(messageOf(error));
      return isRefusal(error) ? refuseReload(error) : refused("store", messageOf(error));
    }
  };
  const debouncer = openDebouncer({
    quietMilliseconds,
    longestWaitMilliseconds,
    run: () => {
      if (!looking)
        void inTurn(() => {
          looking = false;
          return look(false);
        });
      looking = true;
    },
  });

  const ask = openBundleCommandHandlers({
    current: () => inTurn(async () => encoder.last()),
    reload: async () => {
      const before = encoder.last();
      return (await inTurn(() => look(true))) ?? bundleDifference(before, encoder.last());
    },
  });

  if (options.watch) store.watch(debouncer.announce);
  void inTurn(() => look(false));
  return {
    postWholeSet: () => {
      const whole = encoder.wholeSet();
      if (whole !== undefined) send(whole);
    },
    ask,
    close: async () => {
      closed = true;
      debouncer.close();
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
