/** Determines the prices of a unit when it is loaded. */
import type { ConstantValue } from "../bundle.ts";
import { longestTextOf } from "../constant.ts";
import { type Price, priceOfProgram } from "./price.ts";
import { type Prices, unmeasured } from "./prices.ts";
import type { Unit } from "./unit.ts";

/** How prices, in units of work, are determined. */
export interface Pricing {
  /** The prices of a program with its constants. */
  readonly ofProgram: (program: Unit, constants: readonly ConstantValue[]) => Prices;
  /**
   * The price of evaluating one of its policies, given the price `fromRows` that follows from its rows; `index` is its
   * position.
   */
  readonly ofPolicy: (fromRows: Price, prices: Prices, index: number) => Price;
}

/** Uses the measurements of the gate, if it has read the program. */
export const measuredPricing: Pricing = {
  ofProgram: ({ prices }, constants) => ({ ...(prices ?? unmeasured), longestText: longestTextOf(constants) }),
  ofPolicy: (fromRows, { policies, longestText }, index) => priceOfProgram(fromRows, policies[index] ?? 0, longestText),
};
