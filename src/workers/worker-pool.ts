/** The workers of a server: started together, sent every policy set, and replaced one by one when they end. */
import type { Log } from "../observe/log.ts";
import type { Addresses } from "../server/start/addresses.ts";
import { openDistribution } from "./distribution.ts";
import type { SetReceiver } from "../activation.ts";
import type { WorkerProcess } from "./worker-process.ts";
import type { WorkerStart } from "./messages.ts";
import { watchHeartbeats } from "./heartbeats.ts";
import { refusal } from "../refusal.ts";
import { openReplacement } from "./replacement.ts";

/** All workers of a server. */
export interface WorkerPool {
  /** The workers that have been started and are not known to have ended. */
  readonly workers: () => readonly WorkerProcess[];
  /** Distributes policy sets to all of them. */
  readonly receiver: SetReceiver;
  /** Starts all workers; rejects with the error of the first that cannot start. */
  readonly startAll: () => Promise<void>;
  /** Makes all workers listen, and then serve, together. From then on, a worker that ends is replaced. */
  readonly serve: () => Promise<Addresses>;
  /** Rejects with a refusal when no worker serves and none can be started. */
  readonly failed: Promise<never>;
  /** Ends replacing workers and checking whether they are stuck. */
  readonly stopReplacing: () => void;
}

/** How workers are started, and the callbacks. */
export interface WorkerPoolOptions {
  readonly count: number;
  readonly start: (number: number) => WorkerProcess;
  readonly beginning: (number: number) => WorkerStart;
  readonly requestWholeSet: () => void;
  /** Called when a worker that served has ended by itself. */
  readonly lost: (worker: WorkerProcess) => void;
  /** Called for each worker that is no longer part of the pool: what it has counted is all that it will count. */
  readonly ended: (worker: WorkerProcess) => void;
  readonly log: Log;
  /** After how many milliseconds it is logged that a worker still waits for policies. */
  readonly patienceMilliseconds?: number;
}

/** Opens the pool; no worker is started yet. */
export function openWorkerPool(options: WorkerPoolOptions): WorkerPool {
  const { count, log, patienceMilliseconds = 10_000 } = options;
  const workers = new Map<number, WorkerProcess>();
  const everyone = (): readonly WorkerProcess[] => [...workers.values()];
  let stopAsking: () => void = () => undefined;
  let stopped = false;

  const distribution = openDistribution({
    workers: everyone,
    requestWholeSet: options.requestWholeSet,
    failed: (worker, error) => {
      log.error({ err: error }, `worker ${worker.number} cannot load the policies that other workers have loaded: it is replaced`);
      worker.kill();
    },
  });
  const start = (number: number): WorkerProcess => {
    const worker = options.start(number);
    workers.set(number, worker);
    return worker;
  };
  const begun = async (worker: WorkerProcess): Promise<void> => {
    await worker.ask("begin", options.beginning(worker.number));
  };
  /** While the others keep a set that the compile thread, started again, does not have, a new worker cannot be given one. */
  const join = (worker: WorkerProcess): Promise<void> => {
    const waits = `worker ${worker.number} does not serve yet: it has waited for policies for ${patienceMilliseconds / 1000} s`;
    const about = { "process.pid": worker.pid };
    const tell = (): void => log.error(about, `${waits}, and waits on until those of the store can be read and compile`);
    const late = setTimeout(tell, patienceMilliseconds).unref();
    const inTime = (): void => clearTimeout(late);
    const joined = distribution.join(worker);
    void joined.then(inTime, inTime);
    return joined;
  };
  const replacement = openReplacement({
    start,
    bringUp: async (worker) => {
      await begun(worker);
      await join(worker);
      // All others stop listening then, or have done so: it would be the last to listen.
      if (stopped) throw refusal("the server is stopping");
      await worker.ask("listen", undefined);
      await worker.ask("serve", undefined);
    },
    forget: (worker) => {
      workers.delete(worker.number);
      options.ended(worker);
    },
    lost: options.lost,
    log,
  });

  const all = <T>(work: (worker: WorkerProcess) => Promise<T>): Promise<readonly T[]> => Promise.all(everyone().map(work));
  return {
    workers: everyone,
    receiver: distribution,
    startAll: async () => {
      for (let number = 1; number <= count; number++) start(number);
      await all(begun);
    },
    serve: async () => {
      const [first] = await all((worker) => worker.ask("listen", undefined));
      await all((worker) => worker.ask("serve", undefined));
      replacement.supervise(workers.values());
      stopAsking = watchHeartbeats({
        workers: everyone,
        stuck: (worker, seconds) => {
          const about = { "process.pid": worker.pid };
          log.error(about, `worker ${worker.number} has not answered for ${seconds} s, as if stuck in a loop or stopped: it is killed`);
          worker.kill();
        },
      });
      if (first === undefined) throw new Error("there are no workers");
      return first;
    },
    failed: replacement.failed,
    stopReplacing: () => {
      stopped = true;
      replacement.stop();
      stopAsking();
    },
  };
}
