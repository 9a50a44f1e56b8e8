/** The time limits of trials, in processor time, because on a busy machine a process may wait long for its turn. */
import { readFileSync } from "node:fs";

/** The time that a process has used so far. */
export interface TimeUsed {
  /** The processor time of its first thread in milliseconds; undefined where the system does not report it. */
  readonly running: number | undefined;
  /** The wall-clock time in milliseconds. */
  readonly at: number;
}

/** The limits of a step. */
export interface TimeLimits {
  readonly running: number;
  readonly waiting: number;
}

/**
 * A step is the evaluation of one program, or one condition: microseconds to a few milliseconds. Before that, only our own code runs,
 * whose time grows with the bundle but is bounded.
 */
export const timeLimitsFor = {
  start: { running: 10_000, waiting: 60_000 },
  loading: (bytes: number): TimeLimits => ({ running: 2000 + bytes / 2000, waiting: 60_000 }),
  // Parsing and compiling a program takes time that grows with its length.
  step: (characters: number): TimeLimits => ({ running: 70 + characters / 4096, waiting: 5000 }),
} as const;

/** The limit of wall-clock time in milliseconds where processor time is not reported. */
const waitingBlindly = 1000;

/** Returns the times of a process: the processor time is that of its first thread, which evaluates. */
export function timeUsedBy(pid: number): TimeUsed {
  return { running: running(pid), at: performance.now() };
}

/** Returns whether a step has exceeded its limits. */
export function isOver(began: TimeUsed, now: TimeUsed, { running: most, waiting }: TimeLimits): boolean {
  const elapsed = now.at - began.at;
  if (began.running === undefined || now.running === undefined) return elapsed > Math.min(waiting, Math.max(waitingBlindly, 4 * most));
  return now.running - began.running > most || elapsed > waiting;
}

function running(pid: number): number | undefined {
  try {
    const nanoseconds = Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]);
    return nanoseconds > 0 ? nanoseconds / 1e6 : undefined;
  } catch {
    return undefined;
  }
}
