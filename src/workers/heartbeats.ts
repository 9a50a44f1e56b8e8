/** Finds workers whose event loop is stuck: each is pinged regularly, and one that leaves several pings in a row unanswered is reported. */
import inspector from "node:inspector";
import type { WorkerProcess } from "./worker-process.ts";

/** Which workers are pinged, how often, and the callback. */
export interface HeartbeatOptions<Asked> {
  readonly workers: () => readonly Asked[];
  /** Called with a worker that has been silent for at least this number of seconds. */
  readonly stuck: (worker: Asked, seconds: number) => void;
  /** The interval of pings, in milliseconds. */
  readonly milliseconds?: number;
  /** The number of missed pings after which a worker is stuck: together far longer than the longest check (D46.1). */
  readonly maxMissed?: number;
}

/**
 * Starts pinging; returns a function that stops it. Missed rounds are counted, not time: if the machine slept or the primary was
 * blocked, every worker has missed only one. At most one worker is reported per round, so that when all are silent, those that recover
 * are kept.
 */
export function watchHeartbeats<Asked extends Pick<WorkerProcess, "ask">>(options: HeartbeatOptions<Asked>): () => void {
  const { workers, stuck, milliseconds = 5000, maxMissed = 6 } = options;
  /** The workers with a pending ping, and how many rounds it has been pending. */
  const missed = new WeakMap<Asked, number>();
  const ask = (worker: Asked): void => {
    missed.set(worker, 0);
    worker.ask("pulse", undefined).then(
      () => missed.delete(worker),
      () => undefined, // it is gone
    );
  };
  const round = (): void => {
    timer.refresh();
    if (inspector.url() !== undefined) return; // A process that is paused by a debugger is not stuck.
    let [given, longest] = [undefined as Asked | undefined, maxMissed - 1];
    for (const worker of workers()) {
      const rounds = missed.get(worker);
      if (rounds === undefined) ask(worker);
      else missed.set(worker, rounds + 1);
      if (rounds !== undefined && rounds + 1 > longest) [given, longest] = [worker, rounds + 1];
    }
    if (given === undefined) return;
    missed.set(given, 0);
    stuck(given, (longest * milliseconds) / 1000);
  };
  const timer = setTimeout(round, milliseconds).unref();
  return () => clearTimeout(timer);
}
