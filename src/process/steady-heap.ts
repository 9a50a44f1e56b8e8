/** Tunes V8's garbage collection for threads that keep much and change little. */
import { setFlagsFromString } from "node:v8";

/**
 * Keeps threads that are started from now on from being collected a second and a third time whenever nothing happens for
 * some seconds: that gives a little memory back, and after a change of one policy among thousands it costs ten times the
 * change (`npm run bench -- reload`).
 */
export function leaveHeapsAlone(): void {
  // An engine that does not know the word would complain to whoever started the command.
  if (Number.parseInt(process.versions.node, 10) <= 22) setFlagsFromString("--no-memory-reducer");
}

/**
 * Has what is young collected by the thread that made it alone, from now on and in this whole process. Of what answering a
 * request makes nearly nothing outlives it: to wake helpers takes longer than what they help with (`bench/PROFILE.md`).
 */
export function collectYoungAlone(): void {
  if (Number.parseInt(process.versions.node, 10) <= 22) setFlagsFromString("--no-parallel-scavenge");
}

/**
 * Keeps the room for what is young as it is, in this whole process, until what is returned is called. It would grow while a
 * set is loaded, because all that is made then stays: by as much as a whole set of thousands of policies takes.
 */
export function keepYoungSmall(): () => void {
  if (Number.parseInt(process.versions.node, 10) > 22) return () => undefined;
  const growBy = (factor: number): void => setFlagsFromString(`--semi-space-growth-factor=${factor}`);
  growBy(1);
  return () => growBy(2); // as the engine does
}
