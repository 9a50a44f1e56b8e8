/** How large a program may be. The emitter stays well below, or writes what an engine could not read either. */

/** UTF-16 units of its text. */
export const mostCharacters = 4 * 1024 * 1024;

/** Conditions, marks and outputs of a unit, all its policies: they share functions, so that a short program may ask many. */
export const mostQuestions = 2 ** 20;

/** Expressions, statements and functions within each other: one CEL expression comes to at most 1,000, and an engine gives up not far above. */
export const mostDepth = 1200;

/**
 * What its loops over entries may come to, in characters: the turns of each, which nobody counts as steps, times the
 * length of what it repeats. A rule that names one action twice comes to twice its own length. And what calls of loops
 * may come to, each with those within it: a program that calls each of its loops twice from the next would have no end.
 */
export const mostRepeated = 64 * 1024 * 1024;
