/** Estimates statically what running a piece of program costs: the steps of a loop are counted, and each is weighed by what it does. */

/** What one run of a piece of program costs. */
export interface Weight {
  /** 1 for a short piece, and as much more as it is longer. Each may compare one text that is as long as the longest. */
  readonly length: number;
  /** Work for what it keeps: about as many units as bytes. */
  readonly keeps: number;
}

/** A short piece, which makes no lists or maps. */
export const light: Weight = Object.freeze({ length: 1, keeps: 0 });

/** Characters of generated code that weigh nothing: what honest loops and conditions are made of. */
const shortPiece = 128;
/** The fewest in which two texts are compared and something is done about it. */
const leastComparison = 32;

/** What a piece of so many characters weighs. */
export const weightOf = (characters: number, keeps: number): Weight =>
  characters <= shortPiece && keeps === 0
    ? light
    : Object.freeze({ length: 1 + Math.ceil(Math.max(0, characters - shortPiece) / leastComparison), keeps });

/** The weight of what is as heavy as the heavier of two. */
export const heavier = (one: Weight, other: Weight): Weight =>
  one === other ? one : Object.freeze({ length: Math.max(one.length, other.length), keeps: Math.max(one.keeps, other.keeps) });
