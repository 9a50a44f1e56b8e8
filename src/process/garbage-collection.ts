/** Tunes V8's garbage collector for threads that keep much data and change little of it. */
import { setFlagsFromString } from "node:v8";

/**
 * Disables V8's memory reducer for threads that are started from now on. It collects garbage whenever a thread is idle for some
 * seconds: that frees little memory, and after a change of one policy among thousands it costs ten times the change (`npm run bench --
 * reload`).
 */
export function disableMemoryReducer(): void {
  // V8 would print a warning for an unknown flag.
  if (Number.parseInt(process.versions.node, 10) <= 22) setFlagsFromString("--no-memory-reducer");
}

/**
 * Disables parallel scavenging for the whole process: the young generation is collected by the thread itself. Hardly any object
 * survives a request, so waking helper threads takes longer than what they save (`bench/PROFILE.md`).
 */
export function disableParallelScavenging(): void {
  if (Number.parseInt(process.versions.node, 10) <= 22) setFlagsFromString("--no-parallel-scavenge");
}

/**
 * Prevents the young generation from growing, in the whole process, until the returned function is called. While a set is loaded it
 * would grow, because all new objects survive: by as much memory as a set of thousands of policies takes.
 */
export function limitYoungGeneration(): () => void {
  if (Number.parseInt(process.versions.node, 10) > 22) return () => undefined;
  const growBy = (factor: number): void => setFlagsFromString(`--semi-space-growth-factor=${factor}`);
  growBy(1);
  return () => growBy(2); // V8's default
}
