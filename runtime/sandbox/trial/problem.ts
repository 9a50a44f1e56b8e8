/** The exception for a finding of a trial. */

/** A finding. Operators see its message after the name of what was tried. */
export class Problem extends Error {}

/** Ends the trial with a finding. */
export function problem(words: string): never {
  throw new Problem(words);
}
