/** Work that nobody waits for, a step at a time: what comes meanwhile waits for one step at most. */

/** When it begins, and how long it rests after each step: milliseconds. */
export interface Pace {
  readonly after: number;
  readonly pause: number;
}

/** Begins; returns how to stop. What is left undone keeps no process alive. */
export function startSteps(steps: readonly (() => unknown)[], { after, pause }: Pace): () => void {
  const left = steps.values();
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const rest = (milliseconds: number): void => void (timer = setTimeout(goOn, milliseconds).unref());
  const goOn = (): void => {
    const { value: step } = left.next();
    if (step === undefined) return;
    step();
    if (!isStopped) rest(pause);
  };
  rest(after);
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
