/** Background work in small steps, done while the process is idle: a request that arrives meanwhile waits for one step at most. */
import { performance } from "node:perf_hooks";

/** When the work begins, and the pause after each step: milliseconds. */
export interface Pace {
  readonly after: number;
  readonly pause: number;
  /** From this time on, steps are done even if the process is busy. */
  readonly latest: number;
}

/** The process counts as idle when its event loop was active for less than this share of the time since the last check. */
const busyShare = 0.5;
/** The pause in milliseconds while the process is busy. */
const busyPause = 1000;

/** Starts the work; returns a function that stops it. Its timers do not keep the process alive. */
export function startBackgroundWork(steps: readonly (() => unknown)[], { after, pause, latest }: Pace): () => void {
  const waiting = [...steps];
  const begun = performance.now();
  let looked = performance.eventLoopUtilization();
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const rest = (milliseconds: number): void => void (timer = setTimeout(goOn, milliseconds).unref());
  const isBusy = (): boolean => {
    const before = looked;
    looked = performance.eventLoopUtilization();
    return performance.eventLoopUtilization(looked, before).utilization > busyShare;
  };
  const goOn = (): void => {
    const busy = isBusy();
    const left = begun + latest - performance.now();
    if (busy && left > 0) return rest(Math.min(busyPause, left));
    waiting.shift()?.();
    if (isStopped || waiting.length === 0) return;
    // The step itself was activity, so measuring starts after it.
    looked = performance.eventLoopUtilization();
    rest(busy ? busyPause : pause);
  };
  rest(after);
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
