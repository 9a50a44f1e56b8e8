/** Clocks that a busy machine does not disturb: they stand still while others have the processor. */
import { existsSync, readFileSync } from "node:fs";

/** Milliseconds of processor time that this process has had, with all its threads: collecting garbage, optimising. */
export function processMilliseconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const schedule = "/proc/self/schedstat";

/** Milliseconds of the thread that runs JavaScript: what one waits for on a quiet machine. Elapsed time where the system does not tell. */
export const threadMilliseconds: () => number = existsSync(schedule)
  ? () => Number(readFileSync(schedule, "utf8").split(" ")[0]) / 1e6
  : () => performance.now();
