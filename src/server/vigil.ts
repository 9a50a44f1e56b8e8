/** Keeps the event loop turning for a moment while a single client sends one request after the other: falling asleep and being woken costs more. */

/** How many milliseconds it stays awake after an answer. */
const longest = 0.2;

/** What it costs to have stayed awake in vain, in questions that came soon: so many must have come before it is risked again. */
const price = 8;
const mostSaved = 4 * price;

/** Told of every round that has ended: how many were in it, and when the first of them came, in milliseconds. */
export type Vigil = (asked: number, firstAt: number) => void;

/** The clock, in milliseconds, and how the next turn of the event loop is waited for. */
export interface VigilOptions {
  readonly now: () => number;
  readonly turn: (next: () => void) => unknown;
}

/**
 * Opens it, asleep. Whoever has a processor to himself and waits for the next question finds the processor halted and cold when
 * it comes: a third of the time of a lone question. Where many ask, nobody sleeps. The event loop turns meanwhile, so that
 * everything else goes on.
 */
export function openVigil({ now, turn }: VigilOptions = { now: () => performance.now(), turn: setImmediate }): Vigil {
  let saved = 0;
  let endedAt = -Infinity;
  let isAwake = false;

  const stay = (): void => {
    isAwake = saved >= price && now() - endedAt < longest;
    if (isAwake) turn(stay);
  };
  return (asked, firstAt) => {
    if (asked > 1) saved = 0;
    else if (firstAt - endedAt < longest) saved = Math.min(saved + 1, mostSaved);
    else saved = Math.max(saved - price, 0);
    endedAt = now();
    if (saved < price || isAwake) return;
    isAwake = true;
    turn(stay);
  };
}
