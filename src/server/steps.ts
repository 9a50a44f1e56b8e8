/** Background work in small steps, done while the process is idle: a request that arrives meanwhile waits for one step at most. */
import { performance } from "node:perf_hooks";

/** When it begins, and how long it rests after each step: milliseconds. */
export interface Pace {
  readonly after: number;
  readonly pause: number;
  /** From then on it is done however much else there is to do. */
  readonly latest: number;
}

/** Of the time since the last look, what the thread may have been at work and still counts as having time. */
const busyShare = 0.5;
/** How long it rests, in milliseconds, where there is much else to do. */
const busyPause = 1000;

/** Begins; returns how to stop. What is left undone keeps no process alive. */
export function startSteps(steps: readonly (() => unknown)[], { after, pause, latest }: Pace): () => void {
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
    // A step makes the thread busy itself.
    looked = performance.eventLoopUtilization();
    rest(busy ? busyPause : pause);
  };
  rest(after);
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
