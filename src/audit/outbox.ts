/** The queue of entries before one destination: bounded, written in batches off the request's path, retried when a write fails. */
import type { Log } from "../observe/log.ts";
import type { Batch, Delivery, Destination } from "./destination.ts";
import type { RecordedKind } from "./entry.ts";
import { openFailureLog } from "./failure-log.ts";

/** Entries that wait to be written, first in first out. */
export interface Queue<Item, Taken extends Batch> {
  readonly push: (item: Item) => void;
  /** Returns the approximate size of an entry, in the queue's unit (characters or bytes). */
  readonly sizeOf: (item: Item) => number;
  /** The number of waiting entries, and their total size. */
  readonly length: () => number;
  readonly size: () => number;
  /** Returns the next batch without removing it; the same batch again until some of it is dropped. Only called while something waits. */
  readonly take: () => Taken;
  /** Removes the first `entries` of the batch, which have been written. */
  readonly drop: (entries: number) => void;
  /** Returns the kinds of all waiting entries. */
  readonly kinds: () => readonly RecordedKind[];
}

/** Options of the outbox. */
export interface OutboxOptions {
  readonly log: Log;
  /** A write failed, or an entry is lost. */
  readonly failed: (kind: RecordedKind) => void;
  /** How many milliseconds the first entry of a batch waits for others. */
  readonly delayMilliseconds: number;
  /** As soon as this number of entries, or entries of this total size, are waiting, they are written without further delay. */
  readonly enoughEntries: number;
  readonly enoughSize: number;
  /** The total size that may wait; entries beyond it are dropped and counted. */
  readonly maxSize?: number;
}

/** The queue before one destination. */
export interface Outbox<Item> {
  readonly send: (entry: Item) => void;
  /** Resolves when all entries that wait now have been written or have failed, however many come meanwhile. */
  readonly flush: () => Promise<void>;
  readonly close: (milliseconds: number) => Promise<void>;
}

const maintenanceMilliseconds = 1000;
/** The pause in milliseconds between failed attempts; it doubles from the least to the longest. */
const minPause = 50;
const maxPause = 2000;
/** The longest pause in milliseconds while a slow reader takes less than it is given. */
const maxReaderPause = 32;

const overflow = new Error("more entries come than it takes");

/** A caller that waits for the entries up to this one, counted from the first. */
interface Flush {
  readonly upTo: number;
  readonly resolve: () => void;
}

/** Opens an outbox with nothing in it. */
export function openOutbox<Item extends { readonly kind: RecordedKind }, Taken extends Batch>(
  queue: Queue<Item, Taken>,
  destination: Destination<Taken>,
  options: OutboxOptions,
): Outbox<Item> {
  const { log, failed, enoughEntries, enoughSize, maxSize = 2 ** 26 } = options;
  const trouble = openFailureLog(log, destination.name, queue.length);
  /** The pause in milliseconds before the next attempt; 0 when the last one succeeded. */
  let pause = 0;
  /** Whether the last call of `maintain` failed. */
  let isMaintenanceFailing = false;
  let lastMaintained = performance.now();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  /** The callers that wait for a flush, the oldest first. */
  const flushes: Flush[] = [];
  /** How many entries have been written. */
  let written = 0;
  let closing = false;
  let cut = false;

  const recovered = (): void => {
    // After an overflow, the trouble is over only when the queue is at most half full.
    if (!isMaintenanceFailing && queue.size() * 2 <= maxSize) trouble.recovered();
  };

  const endFlushes = (isFailed: boolean): void => {
    const ended = isFailed ? flushes.length : flushes.filter(({ upTo }) => upTo <= written).length;
    for (const { resolve } of flushes.splice(0, ended)) resolve();
  };
  const deliver = async (): Promise<void> => {
    const batch = queue.take();
    const { delivered, trouble: cause } = await destination
      .deliver(batch)
      .catch((error: unknown): Delivery => ({ delivered: 0, trouble: error }));
    const left = batch.kinds.slice(delivered);
    queue.drop(delivered);
    written += delivered;
    endFlushes(left.length > 0);
    if (left.length === 0) {
      pause = 0;
      if (cause === undefined) recovered();
      else trouble.report(cause);
      return;
    }
    const longer = delivered > 0 ? 0 : pause * 2;
    if (cause === undefined) {
      pause = Math.min(maxReaderPause, Math.max(1, longer));
      return;
    }
    pause = Math.min(maxPause, Math.max(minPause, longer));
    for (const kind of new Set(left)) failed(kind);
    trouble.report(cause);
  };
  /** Delivers until the rest may wait for more entries. */
  const run = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    do {
      await deliver();
      if (performance.now() - lastMaintained >= maintenanceMilliseconds) await maintain();
    } while (goesOn());
    running = undefined;
    if (queue.length() > 0) schedule();
  };
  const maintain = async (): Promise<void> => {
    lastMaintained = performance.now();
    try {
      await destination.maintain?.();
      isMaintenanceFailing = false;
      if (queue.length() === 0) recovered();
    } catch (error) {
      isMaintenanceFailing = true;
      trouble.report(error);
    }
  };
  const goesOn = (): boolean => waits() && pause === 0 && (flushes.length > 0 || closing || isEnough());
  const waits = (): boolean => queue.length() > 0 && !cut;
  const isEnough = (): boolean => queue.length() >= enoughEntries || queue.size() >= enoughSize;
  const schedule = (): void => {
    if (running !== undefined || cut) return;
    if (flushes.length > 0 || (pause === 0 && (closing || isEnough()))) running = Promise.resolve().then(run);
    else {
      timer ??= setTimeout(
        () => {
          timer = undefined;
          running ??= run();
        },
        pause > 0 ? pause : options.delayMilliseconds,
      );
    }
  };
  const maintenanceTimer = setInterval(() => {
    if (destination.maintain === undefined || running !== undefined || closing) return;
    running = maintain().then(() => {
      running = undefined;
      if (queue.length() > 0) schedule();
    });
  }, maintenanceMilliseconds);
  maintenanceTimer.unref();

  return {
    send: (entry) => {
      // A single entry may always wait, whatever its size.
      if (closing || (queue.length() > 0 && queue.size() + queue.sizeOf(entry) > maxSize)) {
        trouble.countLost();
        failed(entry.kind);
        if (!closing) trouble.report(overflow);
        return;
      }
      queue.push(entry);
      if (timer === undefined || isEnough()) schedule();
    },
    flush: () =>
      new Promise((resolve) => {
        if (queue.length() === 0 || cut) return resolve();
        flushes.push({ upTo: written + queue.length(), resolve });
        schedule();
      }),
    close: async (milliseconds) => {
      closing = true;
      clearInterval(maintenanceTimer);
      // This timer keeps the process alive: waiting for a turn or for a reader does not.
      let deadline: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => (deadline = setTimeout(resolve, milliseconds)));
      const written = (async () => {
        while (waits()) {
          await running;
          if (waits() && pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
          if (waits()) await (running ??= run());
        }
        await running;
        await destination.close();
      })();
      await Promise.race([written.catch(trouble.report), late]);
      clearTimeout(deadline);
      cut = true;
      endFlushes(true);
      clearTimeout(timer);
      const left = queue.kinds();
      for (const kind of left) failed(kind);
      if (left.length > 0)
        log.error(`${left.length} audit entries were lost: ${destination.name} did not accept them before the server stopped`);
    },
  };
}
