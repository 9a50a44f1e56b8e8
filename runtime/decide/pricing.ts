/** How the prices of a unit are found when it is opened. */
import type { ConstantValue } from "../bundle.ts";
import { longestTextOf } from "../constant.ts";
import { type Price, priceOfProgram } from "./price.ts";
import { type Prices, unread } from "./prices.ts";
import type { Unit } from "./unit.ts";

/** Finds prices. */
export interface Pricing {
  /** Of a program with its constants. */
  readonly ofProgram: (program: Unit, constants: readonly ConstantValue[]) => Prices;
  /** Of asking one of its policies, when what its rows say is known: `index` is its place. */
  readonly ofAsking: (said: Price, prices: Prices, index: number) => Price;
}

/** Of programs that the gate may have read. */
export const asRead: Pricing = {
  ofProgram: ({ prices }, constants) => ({ ...(prices ?? unread), longestText: longestTextOf(constants) }),
  ofAsking: (said, { policies, longestText }, index) => priceOfProgram(said, policies[index] ?? 0, longestText),
};
