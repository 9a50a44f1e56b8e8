/** The queue of entries before one destination: bounded, written in batches off the request's path, retried when a write fails. */
import type { Log } from "../observe/log.ts";
import type { Batch, Delivery, Destination } from "./destination.ts";
import type { RecordedKind } from "./entry.ts";
import { openTroubleLog } from "./trouble-log.ts";

/** Entries that wait to be written, first in first out. */
export interface Queue<Item, Taken extends Batch> {
  readonly push: (item: Item) => void;
  /** The size of an entry, in characters or in bytes as the queue counts: the bounds need not be exact. */
  readonly sizeOf: (item: Item) => number;
  /** How many entries wait, and their total size. */
  readonly length: () => number;
  readonly size: () => number;
  /** Returns the next batch without removing it: the same again until some of it is dropped. Only called while something waits. */
  readonly take: () => Taken;
  /** Removes the first `entries` of the batch that was taken: they are written. */
  readonly drop: (entries: number) => void;
  /** The kinds of all that wait. */
  readonly kinds: () => readonly RecordedKind[];
}

/** How entries are sent. */
export interface OutboxOptions {
  readonly log: Log;
  /** A write failed, or an entry is lost. */
  readonly failed: (kind: RecordedKind) => void;
  /** How long the first of a batch waits for others. */
  readonly delayMilliseconds: number;
  /** As soon as so many entries wait, or entries of this total size, they are written without further delay. */
  readonly enoughEntries: number;
  readonly enoughSize: number;
  /** The total size that may wait; entries beyond it are lost, and counted. */
  readonly mostSize?: number;
}

/** The queue before one destination. */
export interface Outbox<Item> {
  readonly send: (entry: Item) => void;
  /** Resolves when all that waits now was written, or could not be. */
  readonly flush: () => Promise<void>;
  readonly close: (milliseconds: number) => Promise<void>;
}

const tendMilliseconds = 1000;
/** Milliseconds between two attempts that fail: the pause doubles from the one to the other. */
const leastPause = 50;
const longestPause = 2000;
/** Milliseconds between two attempts at most, while a slow reader takes less than it is given. */
const longestWait = 32;

const tooMany = new Error("more entries come than it takes");

/** Opens an outbox with nothing in it. */
export function openOutbox<Item extends { readonly kind: RecordedKind }, Taken extends Batch>(
  queue: Queue<Item, Taken>,
  destination: Destination<Taken>,
  options: OutboxOptions,
): Outbox<Item> {
  const { log, failed, enoughEntries, enoughSize, mostSize = 2 ** 26 } = options;
  const trouble = openTroubleLog(log, destination.name, queue.length);
  /** Milliseconds until the next attempt; 0 when the last one succeeded. */
  let pause = 0;
  /** What has to be done every second failed the last time. */
  let untended = false;
  let lastTended = performance.now();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  /** How many wait for all to be written. */
  let flushing = 0;
  let closing = false;
  let cut = false;

  const recovered = (): void => {
    // Nor is one batch out of too many the end of trouble.
    if (!untended && queue.size() * 2 <= mostSize) trouble.isOver();
  };

  const deliver = async (): Promise<void> => {
    const batch = queue.take();
    const { delivered, trouble: cause } = await destination
      .deliver(batch)
      .catch((error: unknown): Delivery => ({ delivered: 0, trouble: error }));
    const left = batch.kinds.slice(delivered);
    queue.drop(delivered);
    if (left.length === 0) {
      pause = 0;
      if (cause === undefined) recovered();
      else trouble.report(cause);
      return;
    }
    const longer = delivered > 0 ? 0 : pause * 2;
    if (cause === undefined) {
      pause = Math.min(longestWait, Math.max(1, longer));
      return;
    }
    pause = Math.min(longestPause, Math.max(leastPause, longer));
    for (const kind of new Set(left)) failed(kind);
    trouble.report(cause);
  };
  /** Delivers until what is left may wait for others. */
  const run = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    do {
      await deliver();
      if (performance.now() - lastTended >= tendMilliseconds) await tend();
    } while (goesOn());
    running = undefined;
    if (queue.length() > 0) schedule();
  };
  const tend = async (): Promise<void> => {
    lastTended = performance.now();
    try {
      await destination.tend?.();
      untended = false;
      if (queue.length() === 0) recovered();
    } catch (error) {
      untended = true;
      trouble.report(error);
    }
  };
  const goesOn = (): boolean => waits() && pause === 0 && (flushing > 0 || closing || isEnough());
  const waits = (): boolean => queue.length() > 0 && !cut;
  const isEnough = (): boolean => queue.length() >= enoughEntries || queue.size() >= enoughSize;
  const schedule = (): void => {
    if (running !== undefined || cut) return;
    if (pause === 0 && (closing || isEnough())) running = Promise.resolve().then(run);
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
  const tender = setInterval(() => {
    if (destination.tend === undefined || running !== undefined || closing) return;
    running = tend().then(() => {
      running = undefined;
      if (queue.length() > 0) schedule();
    });
  }, tendMilliseconds);
  tender.unref();

  return {
    send: (entry) => {
      // One entry may always wait, however large.
      if (closing || (queue.length() > 0 && queue.size() + queue.sizeOf(entry) > mostSize)) {
        trouble.lose();
        failed(entry.kind);
        if (!closing) trouble.report(tooMany);
        return;
      }
      queue.push(entry);
      if (timer === undefined || isEnough()) schedule();
    },
    flush: async () => {
      flushing++;
      try {
        await running;
        if (queue.length() > 0) await (running ??= run());
      } finally {
        flushing--;
      }
    },
    close: async (milliseconds) => {
      closing = true;
      clearInterval(tender);
      // It keeps the process alive: who waits for a turn, or for a reader, has nothing else that does.
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
      clearTimeout(timer);
      const left = queue.kinds();
      for (const kind of left) failed(kind);
      if (left.length > 0)
        log.error(`${left.length} audit entries were lost: ${destination.name} did not accept them before the server stopped`);
    },
  };
}
