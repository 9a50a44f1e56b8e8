/** The work that one check may cost, whoever does it (D46.1): loops, comparisons and functions draw from one account. */
import type { Value } from "./value.ts";
import { light, type Weight } from "./weight.ts";

/** Units of work of one check; a unit is about ten nanoseconds. */
export const mostWork = 2 ** 27;

/** What is thrown when the work is used up: no condition is false because of it, the whole check is refused. */
export const tooMuchWork: unique symbol = Symbol("too much work");

// One check runs at a time and never waits. Where nobody opened an account, as in a compiler, there is no bound.
let left = Infinity;
// By a name of ours: in a realm of its own, names of the language are looked for each time they are read.
const unbounded = left;
/** Whether there is a bound: one look, where comparing what is left takes several. */
let isBounded = false;
/** What comparing two of the longest texts costs, and at least 1. */
let turn = 1;
/** What is left for finding out what went wrong, beside the account itself. */
let spare = Infinity;
/** Who has paid for turns that are not taken yet, last. */
let payer: Payer | undefined;
/** Lengths of the pieces of program that are under way, besides a light one, which may always be. */
let underWay = 0;

/** Draws from what is left. Short, so that engines put it where it is called, however much stands there already. */
export function work(units: number): void {
  if (isBounded) draw(units);
}

function fill(units: number): void {
  left = units;
  isBounded = units !== unbounded;
}

// Not where there is no bound: reckoning with what is no small whole number makes an object each time.
function draw(units: number): void {
  left -= units;
  if (left < 0) throw tooMuchWork;
}

/** Draws one turn of a loop: its body may compare two texts as long as the longest of the request. */
export const workTurn = (): void => work(turn);

/** What a run of a piece costs beside the comparisons, for each light piece in it but one. */
const ownPrice = 7;

const priceOf = ({ length, keeps }: Weight): number => (turn + ownPrice) * length - ownPrice + keeps;

/** Draws one run of a piece of program. */
export const workFor = (weight: Weight): void => work(weight === light ? turn : priceOf(weight));

/** Draws one run of a piece that is under way from here on: the texts that it compares may become longer meanwhile. */
export function start(weight: Weight): void {
  workFor(weight);
  underWay += weight.length;
}

/** Says that the run has come to its end. */
export function finish(weight: Weight): void {
  underWay -= weight.length;
}

/** Turns that are paid for together: what is not taken is given back, so that the account is wrong by little and not for long. */
const turnsAtOnce = 1024;
const unitsAtOnce = 2 ** 17;

/** Draws some turns of a loop at once, at least one and at most so many; answers how many. */
export function payForTurns(most: number, weight: Weight): number {
  const price = priceOf(weight);
  const turns = Math.min(most, turnsAtOnce, Math.max(1, Math.floor(unitsAtOnce / price)));
  work(turns * price);
  return turns;
}

/** Gives back turns that were paid for and not taken. */
export function returnTurns(turns: number, weight: Weight): void {
  left += turns * priceOf(weight);
}

/** Who takes turns, and has paid for them before. */
export interface Payer {
  /** Gives back what was paid for and not taken. */
  readonly settle: () => void;
}

/** Says who pays from here on. */
export function paidBy(who: Payer): void {
  // What holds it is old, who pays is new: writing it is dear.
  if (payer !== who) payer = who;
}

/** Says that there is a text of this length: where none was as long, comparing costs more from here on, what is under way included. */
export function noteText(length: number): void {
  if (isLongText(length)) noteLongText(length);
}

/** Whether comparing a text of this length costs more than a turn does where there is no longer one. */
export const isLongText = (length: number): boolean => length >= charactersOfTurn;

function noteLongText(length: number): void {
  // Where nobody opened an account, nobody would ever forget the text again.
  if (!isBounded) return;
  const price = priceOfText(length);
  if (price <= turn) return;
  payer?.settle();
  const more = price - turn;
  turn = price;
  work(more * (underWay + light.length));
}

/** A text up to here costs no more than a turn does. */
const charactersOfTurn = 128;

const priceOfText = (length: number): number => 1 + Math.floor(length / charactersOfTurn);

/** Draws what it takes to walk over a value, without what is inside of its elements. */
export function workOver(value: Value | undefined): void {
  if (typeof value === "string") work(1 + value.length / 8);
  else if (typeof value !== "object") return;
  else if (Array.isArray(value)) work(1 + value.length);
  else if (value instanceof Uint8Array) work(1 + value.length / 8);
}

/** Draws what it takes to keep a value that a function has made: about as many units as bytes. */
export function workToKeep(value: Value): void {
  if (typeof value === "string") {
    work(1 + value.length);
    noteText(value.length);
  } else if (typeof value !== "object" || value === null) return;
  else if (Array.isArray(value)) work(objectKept + elementKept * value.length);
  else work(objectKept + (value instanceof Uint8Array ? value.length : 0));
}

/** Work for a value that is kept, for each element of a list, and for a map and each entry of one. */
export const objectKept = 64;
export const elementKept = 32;
export const mapKept = 256;

/** Runs what may stay unfinished on an account of its own, at the prices of the check around it; says whether it was finished. */
export function withinWork(units: number, run: () => void): boolean {
  const before = left;
  const turnBefore = turn;
  const underWayBefore = underWay;
  fill(units);
  try {
    run();
    return true;
  } catch (trouble) {
    if (trouble !== tooMuchWork) throw trouble;
    return false;
  } finally {
    fill(before);
    turn = turnBefore;
    underWay = underWayBefore;
  }
}

/** Bounds finding out what went wrong, once for all that a check decides: the interpreter is slower than the code that decided. */
const mostSpare = 2 * mostWork;

/** Runs what may stay unfinished on what is spare of the check around it. */
export function withSpareWork(what: { readonly run: () => void }): void {
  const before = left;
  const turnBefore = turn;
  const underWayBefore = underWay;
  fill(Math.min(spare, mostSpare));
  try {
    what.run();
  } catch (trouble) {
    if (trouble !== tooMuchWork) throw trouble;
  } finally {
    // Where nobody opened an account, nobody would ever fill this one up again.
    if (spare !== Infinity) spare = Math.max(0, left);
    fill(before);
    turn = turnBefore;
    underWay = underWayBefore;
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
  fill(account.left);
  turn = account.turn;
  payer = undefined;
  underWay = 0;
  account.left = before;
  account.turn = priceBefore;
}

/** Says how long the longest text is that a turn may compare: that is what turns cost from now on. */
export function priceTurns(longestText: number): void {
  turn = priceOfText(longestText);
}

/** Runs one check within a bound; `longestText` is the length of the longest text that the request holds. */
export function withWork<T>(units: number, longestText: number, run: () => T): T {
  const account: Account = { left: units, turn: priceOfText(longestText) };
  const spareBefore = spare;
  exchange(account);
  spare = mostSpare;
  try {
    return run();
  } finally {
    exchange(account);
    spare = spareBefore;
  }
}
