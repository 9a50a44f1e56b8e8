/** The budget of work for one check (D46.1), shared by its loops, comparisons and functions. */
import type { Value } from "./value.ts";
import { lightWeight, type Weight } from "./weight.ts";

/** The budget of one check in units of work; a unit is about ten nanoseconds. */
export const maxWork = 2 ** 27;

/** Thrown when the budget is exhausted. The whole check is then refused; no condition becomes false because of it. */
export const tooMuchWork: unique symbol = Symbol("too much work");

// Module state is safe: checks run synchronously, one at a time. Outside a check, as in the compiler, there is no
// bound.
let left = Infinity;
// A local constant: in a separate realm, a global such as Infinity is looked up on each read.
const unbounded = left;
/** Whether a budget is in force. A boolean is cheaper to test than comparing `left`. */
let isBounded = false;
/** Work of one loop step: that of comparing two strings of the maximal length, at least 1. */
let stepPrice = 1;
/** A separate budget for finding out which errors occurred. */
let spareLeft = Infinity;
/** The counter that last paid for steps in advance; it must refund them before the price changes. */
let payer: PrepaidCounter | undefined;
/** Sum of the lengths of the pieces of code now running, beside one light piece, which is always assumed. */
let underWay = 0;

/** Takes units from the budget; throws `tooMuchWork` when it is exhausted. Kept short so that V8 inlines it. */
export function work(units: number): void {
  if (isBounded) draw(units);
}

function fill(units: number): void {
  left = units;
  isBounded = units !== unbounded;
}

// Called only with a bound: arithmetic with Infinity would allocate a number each time.
function draw(units: number): void {
  left -= units;
  // Not `left < 0`: a price that is no number must end the check, not free it of the bound.
  if (!(left >= 0)) throw tooMuchWork;
}

/** Takes the work of one loop step, whose body may compare two strings of the maximal length. */
export const workStep = (): void => work(stepPrice);

/** Cost of a run, beside its comparisons, for each unit of length above one. */
const ownPrice = 7;

const priceOf = ({ length, allocates }: Weight): number => (stepPrice + ownPrice) * length - ownPrice + allocates;

/** Takes the work of one run of a piece of code. */
export const workFor = (weight: Weight): void => work(weight === lightWeight ? stepPrice : priceOf(weight));

/**
 * Like `workFor`, for a piece that starts now and ends with `finish`: strings may become longer while it runs, which
 * costs extra.
 */
export function start(weight: Weight): void {
  workFor(weight);
  underWay += weight.length;
}

/** Marks the end of a piece started with `start`. */
export function finish(weight: Weight): void {
  underWay -= weight.length;
}

/** Bounds on steps paid for at once. Steps not taken are refunded, so the budget is off only by little and briefly. */
const stepsAtOnce = 1024;
const unitsAtOnce = 2 ** 17;

/** Pays for some loop steps at once, at least one and at most `most`; returns the number. */
export function payForSteps(most: number, weight: Weight): number {
  const price = priceOf(weight);
  const steps = Math.min(most, stepsAtOnce, Math.max(1, Math.floor(unitsAtOnce / price)));
  work(steps * price);
  return steps;
}

/** Refunds steps that were paid for and not taken. */
export function refundSteps(steps: number, weight: Weight): void {
  left += steps * priceOf(weight);
}

/** A counter that pays for steps in advance. */
export interface PrepaidCounter {
  /** Refunds the steps paid for but not taken. */
  readonly settle: () => void;
}

/** Registers the counter that pays from now on. */
export function paidBy(who: PrepaidCounter): void {
  // Compare first: writing a reference into an old object is expensive (write barrier).
  if (payer !== who) payer = who;
}

/**
 * Reports that a string of this length now exists. If it is the longest so far, comparisons become more expensive,
 * including those of the code now running.
 */
export function noteText(length: number): void {
  if (isLongText(length)) noteLongText(length);
}

/** Whether a string of this length makes comparisons more expensive than the minimum. */
export const isLongText = (length: number): boolean => length >= charactersOfUnit;

function noteLongText(length: number): void {
  // Outside a check nothing would ever reset the price.
  if (!isBounded) return;
  const price = priceOfText(length);
  if (price <= stepPrice) return;
  payer?.settle();
  const more = price - stepPrice;
  stepPrice = price;
  work(more * (underWay + lightWeight.length));
}

/** Strings up to this length cost no more than one unit to compare. */
const charactersOfUnit = 128;

const priceOfText = (length: number): number => 1 + Math.floor(length / charactersOfUnit);

/** Takes the work of iterating over a value; nested values are not included. */
export function workOver(value: Value | undefined): void {
  if (typeof value === "string") work(1 + value.length / 8);
  else if (typeof value !== "object") return;
  else if (Array.isArray(value)) work(1 + value.length);
  else if (value instanceof Uint8Array) work(1 + value.length / 8);
}

/** Takes the work of allocating the result of a function: about one unit a byte. */
export function workToKeep(value: Value): void {
  if (typeof value === "string") {
    work(1 + value.length);
    noteText(value.length);
  } else if (typeof value !== "object" || value === null) return;
  else if (Array.isArray(value)) work(objectKept + elementKept * value.length);
  else work(objectKept + (value instanceof Uint8Array ? value.length : 0));
}

/** Work of allocating: a value, each element of a list, a map and each of its entries. */
export const objectKept = 64;
export const elementKept = 32;
export const mapKept = 256;

/** Runs something that may be abandoned, with a budget of its own and the current prices. Returns whether it finished. */
export function withinWork(units: number, run: () => void): boolean {
  const before = left;
  const stepPriceBefore = stepPrice;
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
    stepPrice = stepPriceBefore;
    underWay = underWayBefore;
  }
}

/**
 * The budget for finding errors, one for the whole check. Larger, because the interpreter is slower than generated
 * code.
 */
const maxSpare = 2 * maxWork;

/** Runs something that may be abandoned, on the separate budget for finding errors. */
export function withSpareWork(what: { readonly run: () => void }): void {
  const before = left;
  const stepPriceBefore = stepPrice;
  const underWayBefore = underWay;
  fill(Math.min(spareLeft, maxSpare));
  try {
    what.run();
  } catch (trouble) {
    if (trouble !== tooMuchWork) throw trouble;
  } finally {
    // Outside a check nothing would ever refill it.
    if (spareLeft !== Infinity) spareLeft = Math.max(0, left);
    fill(before);
    stepPrice = stepPriceBefore;
    underWay = underWayBefore;
  }
}

/**
 * Takes units from the separate budget for finding errors, for something so short that it is not worth `withSpareWork`.
 * Returns whether they were left; if not, nothing is taken.
 */
export function takeSpareWork(units: number): boolean {
  if (!(spareLeft >= units)) return false;
  spareLeft -= units;
  return true;
}

/** The state of a budget that is not in force. */
export interface Budget {
  left: number;
  stepPrice: number;
}

/** Swaps the given state with the current one. Calling it again with the same object restores it. */
export function swapBudget(budget: Budget): void {
  const before = left;
  const stepPriceBefore = stepPrice;
  fill(budget.left);
  stepPrice = budget.stepPrice;
  payer = undefined;
  underWay = 0;
  budget.left = before;
  budget.stepPrice = stepPriceBefore;
}

/** Sets the price of a loop step from the length of the longest string that it may compare. */
export function setStepPrice(longestText: number): void {
  stepPrice = priceOfText(longestText);
}

/** Runs one check with a budget. `longestText` is the length of the request's longest string. */
export function withWork<T>(units: number, longestText: number, run: () => T): T {
  const budget: Budget = { left: units, stepPrice: priceOfText(longestText) };
  const spareBefore = spareLeft;
  swapBudget(budget);
  spareLeft = maxSpare;
  try {
    return run();
  } finally {
    swapBudget(budget);
    spareLeft = spareBefore;
  }
}
