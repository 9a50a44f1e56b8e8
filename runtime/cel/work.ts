/** The work that one check may cost, whoever does it (D46.1): loops, comparisons and functions draw from one account. */
import type { Value } from "./value.ts";

/** Units of work of one check; a unit is about ten nanoseconds. */
export const mostWork = 2 ** 27;

/** What is thrown when the work is used up: no condition is false because of it, the whole check is refused. */
export const tooMuchWork: unique symbol = Symbol("too much work");

// One check runs at a time and never waits. Where nobody opened an account, as in a compiler, there is no bound.
let left = Infinity;
let turn = 1;

/** Draws from what is left. */
export function work(units: number): void {
  left -= units;
  if (left < 0) throw tooMuchWork;
}

/** Draws one turn of a loop: its body may compare two texts as long as the longest of the request. */
export const workTurn = (): void => work(turn);

/** Draws what it takes to walk over a value, without what is inside of its elements. */
export function workOver(value: Value | undefined): void {
  if (typeof value === "string" || value instanceof Uint8Array) work(1 + value.length / 8);
  else if (Array.isArray(value)) work(1 + value.length);
}

/** Runs one check within a bound; `longestText` is the length of the longest text that the request holds. */
export function withWork<T>(units: number, longestText: number, run: () => T): T {
  left = units;
  turn = 1 + Math.floor(longestText / 128);
  try {
    return run();
  } finally {
    left = Infinity;
    turn = 1;
  }
}
