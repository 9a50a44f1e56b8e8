/** The metrics of a server of several processes: of the primary, of every worker, and of workers that have ended. */
import { printExposition } from "../observe/exposition.ts";
import type { Reading } from "../observe/instrument.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { WorkerProcess } from "./worker-process.ts";
import { withoutGauges, openMonotonicCounters, sumReadings } from "./sum-readings.ts";

/** The combined metrics. */
export interface MergedMetrics extends Metrics {
  /**
   * Reports that a worker has ended; `last` are its final readings, if it could send them. Otherwise its last known readings continue
   * to count.
   */
  readonly ended: (worker: WorkerProcess, last?: readonly Reading[]) => void;
}

/** How many milliseconds a worker may take; for a slower one, its previous readings are used. */
const timeoutMilliseconds = 1000;

/** Opens them, given the primary's own metrics. */
export function openMergedMetrics(own: Metrics, workers: () => readonly WorkerProcess[]): MergedMetrics {
  const known = new Map<WorkerProcess, readonly Reading[]>();
  /** Workers that have sent their final readings. They may answer for a while yet, but count as ended. */
  const over = new WeakSet<WorkerProcess>();
  let gone: readonly Reading[] = [];
  const monotonic = openMonotonicCounters();
  const read = async (worker: WorkerProcess): Promise<void> => {
    const answer = worker.ask("readings", undefined).then(
      (readings) => {
        if (!over.has(worker) && !worker.hasExited()) known.set(worker, readings);
      },
      () => undefined, // its previous readings are used
    );
    await within(timeoutMilliseconds, answer);
  };
  const collect = async (): Promise<readonly Reading[]> => {
    if (!own.enabled) return [];
    const asked = workers();
    await Promise.all(asked.map(read));
    const primary = await own.collect();
    // Read synchronously, so that a worker that has just ended is counted either here or among the ended ones.
    return monotonic(sumReadings([primary, ...asked.map((worker) => known.get(worker) ?? []), gone]));
  };
  return {
    ...own,
    collect,
    text: async () => printExposition(await collect()),
    ended: (worker, last = known.get(worker) ?? []) => {
      over.add(worker);
      known.delete(worker);
      gone = sumReadings([gone, withoutGauges(last)]);
    },
  };
}

async function within(milliseconds: number, what: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([what, new Promise<void>((resolve) => void (timer = setTimeout(resolve, milliseconds)))]);
  clearTimeout(timer);
}
