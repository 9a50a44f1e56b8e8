/** How many processes serve, where nobody says it: one for each core that we may use, as far as the memory that we may use goes. */
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

/** What a process is given. */
export interface Room {
  /** Cores that the system lets us run on. */
  readonly cores: number;
  /** Cores' worth of time that a container may use; undefined where nobody bounds it. */
  readonly quota: number | undefined;
  /** Bytes of memory that a container may use; undefined where nobody bounds it. */
  readonly memory: number | undefined;
}

/** Below this for each, the memory of a container would not last. */
const workerBytes = 192 * 2 ** 20;

/** Answers `server.workers`: as it is set, or for 0 what there is room for. */
export function workersFor(setting: number, room: Room = roomHere()): number {
  if (setting > 0) return setting;
  const { cores, quota = Infinity, memory = Infinity } = room;
  return Math.max(1, Math.min(cores, Math.ceil(quota), Math.floor(memory / workerBytes)));
}

function roomHere(): Room {
  const memory = process.constrainedMemory();
  return { cores: availableParallelism(), quota: quotaHere(), memory: memory > 0 && memory < 2 ** 50 ? memory : undefined };
}

/** Containers are seldom bound to cores, but to a share of time: Linux tells it in files, by its older and its newer way. */
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
    return undefined; // another system, or another way
  }
}
