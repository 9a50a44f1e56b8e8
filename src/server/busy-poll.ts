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
const largestBalance = 4 * price;

/** Called after every batch, with the number of requests in it, and when the first arrived, in milliseconds. */
export type BusyPoll = (asked: number, firstAt: number) => void;

/** The clock in milliseconds, and the function that schedules a callback in the next turn of the event loop. */
export interface BusyPollOptions {
  readonly now: () => number;
  readonly turn: (next: () => void) => unknown;
}

/**
 * Returns the observer of batches that spins the event loop. When a single client waits for each response before it sends the next
 * request, the processor halts and cools its caches in between, which takes a third of the time of such a request. With many clients
 * the process does not sleep anyway. Everything else goes on, because the event loop keeps turning.
 */
export function openBusyPoll({ now, turn }: BusyPollOptions = { now: () => performance.now(), turn: setImmediate }): BusyPoll {
  let balance = 0;
  let endedAt = -Infinity;
  let isPolling = false;

  const poll = (): void => {
    isPolling = balance >= price && now() - endedAt < longest;
    if (isPolling) turn(poll);
  };
  return (asked, firstAt) => {
    if (asked > 1) balance = 0;
    else if (firstAt - endedAt < longest) balance = Math.min(balance + 1, largestBalance);
    else balance = Math.max(balance - price, 0);
    endedAt = now();
    if (balance < price || isPolling) return;
    isPolling = true;
    turn(poll);
  };
}
