/** How long a step of a trial may take: in time of the processor, because on a machine that is busy with other things it may wait for long. */
import { readFileSync } from "node:fs";

/** What has become of a process so far. */
export interface Spent {
  /** Milliseconds that its first thread has run; undefined where the system does not tell. */
  readonly running: number | undefined;
  /** Milliseconds on the clock. */
  readonly at: number;
}

/** How much of both a step may take. */
export interface Patience {
  readonly running: number;
  readonly waiting: number;
}

/**
 * A step is one program evaluated, or one condition asked: microseconds to a few milliseconds. Before anything of a
 * bundle is evaluated, only our own code runs, in time that grows with the bundle, which has an end.
 */
export const patienceFor = {
  start: { running: 10_000, waiting: 60_000 },
  loading: (bytes: number): Patience => ({ running: 2000 + bytes / 2000, waiting: 60_000 }),
  // Parsing and compiling it takes time that grows with the text.
  step: (characters: number): Patience => ({ running: 70 + characters / 4096, waiting: 5000 }),
} as const;

/** Where the system does not tell how long a process has run, the clock must do. */
const waitingBlindly = 1000;

/** Says how long the first thread of a process has run: the one that evaluates. */
export function spentBy(pid: number): Spent {
  return { running: running(pid), at: performance.now() };
}

/** Says whether a step that began at the one moment has been going on for too long at the other. */
export function isOver(began: Spent, now: Spent, { running: most, waiting }: Patience): boolean {
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
