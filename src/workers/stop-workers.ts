/** Stops the workers of a server: all stop accepting connections, then each finishes its requests, and one that does not is killed. */
import { closeMilliseconds } from "../audit/audit-log.ts";
import type { Log } from "../observe/log.ts";
import type { WorkerProcess } from "./worker-process.ts";
import type { MergedMetrics } from "./merged-metrics.ts";

/** The timeout, and the callbacks. */
export interface StopOptions {
  /** How many milliseconds pending requests may take: `server.shutdownTimeout`. */
  readonly within: number;
  /** Called for each worker that has ended, with its final readings. */
  readonly ended: MergedMetrics["ended"];
  readonly log: Log;
}

/** Stops all workers; resolves when they are gone. */
export async function stopWorkers(workers: readonly WorkerProcess[], options: StopOptions): Promise<void> {
  await stopListening(workers, options);
  await Promise.all(workers.map((worker) => stopWorker(worker, options)));
}

/**
 * Stops listening in one worker after the other; the last one stops when no connection is waiting any more. Only after that are clients
 * told to close their connections: a client that reconnects must not reach a worker that is about to stop.
 */
async function stopListening(workers: readonly WorkerProcess[], { within, log }: StopOptions): Promise<void> {
  const [last, ...others] = workers;
  const stop = async (worker: WorkerProcess, othersContinue: boolean): Promise<void> => {
    const asked = worker.ask("stop listening", othersContinue).catch(() => undefined); // a worker that is gone does not listen
    await notLater(worker, within + closeMilliseconds, asked, log);
  };
  await Promise.all(others.map((worker) => stop(worker, true)));
  if (last !== undefined) await stop(last, false);
}

/** Lets a worker finish within a limit: besides the timeout of requests, it gets time for its last audit entries and traces. */
async function stopWorker(worker: WorkerProcess, { within, ended, log }: StopOptions): Promise<void> {
  const finished = worker.ask("stop", undefined).then(
    (last) => ended(worker, last),
    () => ended(worker),
  );
  const left = finished.then(worker.disconnect).then(() => worker.exited);
  await notLater(worker, within + 2 * closeMilliseconds, left, log);
}

async function notLater(worker: WorkerProcess, milliseconds: number, work: Promise<unknown>, log: Log): Promise<void> {
  const late = setTimeout(() => {
    log.error({ "process.pid": worker.pid }, `worker ${worker.number} did not stop within ${milliseconds / 1000} s: it is killed`);
    worker.kill();
  }, milliseconds);
  await work;
  clearTimeout(late);
}
