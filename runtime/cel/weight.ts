/**
 * Estimates statically what a piece of generated code costs. Loop steps are counted at run time, each multiplied by
 * this weight.
 */

/** The cost of running a piece of code once. */
export interface Weight {
  /**
   * 1 for a short piece, more in proportion to its length. Each unit allows for comparing one string of the maximal
   * length.
   */
  readonly length: number;
  /** Work for the memory it allocates: about one unit a byte. */
  readonly allocates: number;
}

/** The weight of a short piece that builds no lists or maps. */
export const lightWeight: Weight = Object.freeze({ length: 1, allocates: 0 });

/** Characters of generated code up to which a piece counts as short: ordinary loops and conditions are. */
const shortPiece = 128;
/** The fewest characters of code that compare two strings and use the result. */
const minComparison = 32;

/** Returns the weight of a piece of code with so many characters. */
export const weightOf = (characters: number, allocates: number): Weight =>
  characters <= shortPiece && allocates === 0
    ? lightWeight
    : Object.freeze({ length: 1 + Math.ceil(Math.max(0, characters - shortPiece) / minComparison), allocates });

/** Returns a weight as large as both. */
export const maxWeight = (one: Weight, other: Weight): Weight =>
  one === other ? one : Object.freeze({ length: Math.max(one.length, other.length), allocates: Math.max(one.allocates, other.allocates) });
