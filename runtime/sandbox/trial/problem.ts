/** What a trial finds wrong with a bundle: words, thrown. */

/** A finding; its message is what an operator is told after the name of what was tried. */
export class Problem extends Error {}

/** Ends the trial. */
export function problem(words: string): never {
  throw new Problem(words);
}
