/**
 * Keeps the event loop spinning for a moment while a single client sends one request after the other: sleeping and being woken costs
 * more.
 */

/** How many milliseconds the event loop keeps spinning after a response. */
const longest = 0.2;

/**
 * Every request that arrives within `longest` after a response adds 1 to a balance, and every later one takes this much from it. The
 * loop spins only while the balance is at least this much.
 */
const price = 8;
const mostSaved = 4 * price;

/** Called after every round, with the number of requests in it, and when the first arrived, in milliseconds. */
export type Vigil = (asked: number, firstAt: number) => void;

/** The clock in milliseconds, and the function that schedules a callback in the next turn of the event loop. */
export interface VigilOptions {
  readonly now: () => number;
  readonly turn: (next: () => void) => unknown;
}

/**
 * Returns the observer of rounds that spins the event loop. When a single client waits for each response before it sends the next
 * request, the processor halts and cools its caches in between, which takes a third of the time of such a request. With many clients
 * the process does not sleep anyway. Everything else goes on, because the event loop keeps turning.
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
