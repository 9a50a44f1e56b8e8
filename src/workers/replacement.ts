/**
 * Replaces workers that end: at once after a long service, otherwise after a growing pause. Gives up when none serves and none can be
 * started.
 */
import type { Log } from "../observe/log.ts";
import { messageOf, refusal } from "../refusal.ts";
import type { WorkerProcess } from "./worker-process.ts";

/** How a worker is replaced, and the callbacks. */
export interface ReplacementOptions {
  /** Starts the process of a worker. */
  readonly start: (number: number) => WorkerProcess;
  /** Brings a started worker to the point where it serves; rejects when that fails. */
  readonly bringUp: (worker: WorkerProcess) => Promise<void>;
  /** Called once for each worker that is no longer part of the pool, whether or not it served. */
  readonly forget: (worker: WorkerProcess) => void;
  /** Called when a worker has ended by itself. */
  readonly lost: (worker: WorkerProcess) => void;
  readonly log: Log;
}

/** The replacement of workers. */
export interface Replacement {
  /** Adds workers that serve: each is replaced when it ends. */
  readonly supervise: (workers: Iterable<WorkerProcess>) => void;
  /** Rejects with a refusal when no worker serves and none can be started. */
  readonly failed: Promise<never>;
  /** Ends replacing. */
  readonly stop: () => void;
}

/** A worker that served at least this number of milliseconds is replaced at once. */
const longService = 60_000;
/** The pause in milliseconds between the end of a worker and the start of its replacement. */
const firstPause = 100;
const longestPause = 10_000;
/** How many starts in a row may fail while no worker serves. */
const maxFailures = 5;

/** Opens the replacement, without workers. */
export function openReplacement({ start, bringUp, forget, lost, log }: ReplacementOptions): Replacement {
  const serving = new Set<WorkerProcess>();
  /** The number of failed starts in a row, of any worker. */
  let failures = 0;
  let stopped = false;
  let giveUp: (error: Error) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => void (giveUp = reject));
  failed.catch(() => undefined); // whoever awaits it gets the error

  /** Replaces a worker whenever it ends; `pause` grows with each one that does not last. */
  const supervise = (worker: WorkerProcess, pause: number): void => {
    serving.add(worker);
    const since = performance.now();
    void worker.exited.then((how) => {
      serving.delete(worker);
      if (stopped) return;
      forget(worker);
      lost(worker);
      const wait = performance.now() - since > longService ? 0 : pause;
      log.error({ "process.pid": worker.pid }, `worker ${worker.number} ended (${how}): it is replaced ${inWords(wait)}`);
      replace(worker.number, wait);
    });
  };
  const replace = (number: number, pause: number): void => {
    const next = Math.min(longestPause, Math.max(firstPause, pause * 2));
    const again = async (): Promise<void> => {
      if (stopped) return;
      const worker = start(number);
      try {
        await bringUp(worker);
      } catch (error) {
        forget(worker);
        worker.kill();
        await worker.exited;
        if (!stopped) notStarted(number, error, next);
        return;
      }
      if (stopped) return;
      failures = 0;
      supervise(worker, next);
      log.info({ "process.pid": worker.pid }, `worker ${number} serves again`);
    };
    setTimeout(() => void again(), pause);
  };
  const notStarted = (number: number, error: unknown, pause: number): void => {
    failures++;
    if (serving.size === 0 && failures >= maxFailures) {
      stopped = true;
      return giveUp(refusal(`no worker serves, and none can be started: ${messageOf(error)}`));
    }
    log.error({ err: error }, `worker ${number} could not be started: the next attempt is ${inWords(pause)}`);
    replace(number, pause);
  };

  return {
    supervise: (workers) => {
      failures = 0;
      for (const worker of workers) supervise(worker, 0);
    },
    failed,
    stop: () => void (stopped = true),
  };
}

const inWords = (pause: number): string => (pause === 0 ? "at once" : `in ${pause / 1000} s`);
