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

/** Turns that are paid for together: what is not taken is given back, so that the account is wrong by little and not for long. */
const turnsAtOnce = 1024;
const unitsAtOnce = 2 ** 17;

/** Draws some turns of a loop at once, at least one and at most so many; answers how many. */
export function payForTurns(most: number): number {
  const turns = Math.min(most, turnsAtOnce, Math.max(1, Math.floor(unitsAtOnce / turn)));
  work(turns * turn);
  return turns;
}

/** Gives back turns that were paid for and not taken. */
export function returnTurns(turns: number): void {
  left += turns * turn;
}

/** Draws what it takes to walk over a value, without what is inside of its elements. */
export function workOver(value: Value | undefined): void {
  if (typeof value === "string") work(1 + value.length / 8);
  else if (typeof value !== "object") return;
  else if (Array.isArray(value)) work(1 + value.length);
  else if (value instanceof Uint8Array) work(1 + value.length / 8);
}

/** Runs what may stay unfinished on an account of its own, at the prices of the check around it; says whether it was finished. */
export function withinWork(units: number, run: () => void): boolean {
  const before = left;
  left = units;
  try {
    run();
    return true;
  } catch (trouble) {
    if (trouble !== tooMuchWork) throw trouble;
    return false;
  } finally {
    left = before;
  }
}

/** An account that is not in force. */
export interface Account {
  left: number;
  turn: number;
}

/** Puts an account in force, and the one that was in its place: doing it once more undoes it. */
export function exchange(account: Account): void {
  const before = left;
  const priceBefore = turn;
  left = account.left;
  turn = account.turn;
  account.left = before;
  account.turn = priceBefore;
}

/** Says how long the longest text is that a turn may compare: that is what turns cost from now on. */
export function priceTurns(longestText: number): void {
  turn = 1 + Math.floor(longestText / 128);
}

/** Runs one check within a bound; `longestText` is the length of the longest text that the request holds. */
export function withWork<T>(units: number, longestText: number, run: () => T): T {
  const account: Account = { left: units, turn: 1 };
  exchange(account);
  priceTurns(longestText);
  try {
    return run();
  } finally {
    exchange(account);
  }
}
