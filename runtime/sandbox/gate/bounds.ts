/** Size limits of programs. The emitter stays well below, or writes what no engine could parse either. */

/** UTF-16 units of its text. */
export const maxCharacters = 4 * 1024 * 1024;

/** Conditions, marks and outputs of all policies of a unit. Policies share functions, so a short program may have many. */
export const maxQuestions = 2 ** 20;

/**
 * Nesting of expressions, statements and functions. One CEL expression needs at most 1,000, and engines fail not far
 * above.
 */
export const maxDepth = 1200;

/**
 * Bound of the expanded length in characters: for loops over entries, whose iterations are not counted as steps, the
 * number of iterations times the length of the body; for calls of loops, the length of each including those it calls.
 * Otherwise a program in which each loop calls the next twice would be exponential.
 */
export const maxRepeated = 64 * 1024 * 1024;
