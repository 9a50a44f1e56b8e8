/** Determines the prices of a unit when it is loaded. */
import type { ConstantValue } from "../bundle.ts";
import { longestTextOf } from "../constant.ts";
import { type Price, priceOfProgram } from "./price.ts";
import { type Prices, unread } from "./prices.ts";
import type { Unit } from "./unit.ts";

/** How prices, in units of work, are determined. */
export interface Pricing {
  /** The prices of a program with its constants. */
  readonly ofProgram: (program: Unit, constants: readonly ConstantValue[]) => Prices;
  /**
   * The price of evaluating one of its policies, given the price `said` that follows from its rows; `index` is its
   * position.
   */
  readonly ofAsking: (said: Price, prices: Prices, index: number) => Price;
}

/** Uses the measurements of the gate, if it has read the program. */
export const asRead: Pricing = {
  ofProgram: ({ prices }, constants) => ({ ...(prices ?? unread), longestText: longestTextOf(constants) }),
  ofAsking: (said, { policies, longestText }, index) => priceOfProgram(said, policies[index] ?? 0, longestText),
};
