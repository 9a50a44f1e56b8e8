/** Which processor runs what: the server has one for itself, whoever asks has another. */
import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";

const canPin = availableParallelism() > 1 && spawnSync("taskset", ["-V"]).status === 0;

/** Said in the reports. */
export const pinning = canPin ? "the server pinned to one processor, who asks to another" : "nothing pinned (no taskset, or one processor)";

/** What begins a command line that runs on the server's processor. */
export const onServerCore: readonly string[] = canPin ? ["taskset", "-c", "0"] : [];

/** What begins a command line that runs beside the server. */
export const besideServer: readonly string[] = canPin ? ["taskset", "-c", "1"] : [];

/** Moves this process beside the server. */
export function goBesideServer(): void {
  if (canPin) spawnSync("taskset", ["-apc", "1", String(process.pid)]);
}
