/** The number of workers when `server.workers` is 0: one per available core, as far as memory allows. */
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

/** The resources available to a process. */
export interface Resources {
  /** The cores that we may be scheduled on. */
  readonly cores: number;
  /** The CPU quota of the container, in cores; undefined without a limit. */
  readonly quota: number | undefined;
  /** The memory limit of the container, in bytes; undefined without a limit. */
  readonly memory: number | undefined;
}

/** The least memory per worker in bytes: with less, a container would run out of memory. */
const workerBytes = 192 * 2 ** 20;

/** Returns the number of workers for a value of `server.workers`: the value itself, or for 0 as many as there are resources for. */
export function workerCount(setting: number, resources: Resources = availableResources()): number {
  if (setting > 0) return setting;
  const { cores, quota = Infinity, memory = Infinity } = resources;
  return Math.max(1, Math.min(cores, Math.ceil(quota), Math.floor(memory / workerBytes)));
}

function availableResources(): Resources {
  const memory = process.constrainedMemory();
  return { cores: availableParallelism(), quota: quotaHere(), memory: memory > 0 && memory < 2 ** 50 ? memory : undefined };
}

/** Returns the CPU quota of the container, in cores, from the files of cgroup v1 or v2. */
function quotaHere(): number | undefined {
  const [quota, period] = numbersIn("cpu.max") ?? [
    ...(numbersIn("cpu/cpu.cfs_quota_us") ?? []),
    ...(numbersIn("cpu/cpu.cfs_period_us") ?? []),
  ];
  return quota === undefined || period === undefined || !(quota > 0) || !(period > 0) ? undefined : quota / period;
}

function numbersIn(file: string): readonly number[] | undefined {
  try {
    return readFileSync(`/sys/fs/cgroup/${file}`, "utf8").trim().split(" ").map(Number);
  } catch {
    return undefined; // Another system, or no such limit.
  }
}
