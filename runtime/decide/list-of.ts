/**
 * Allocates arrays of their final length. A growing array reserves room for many elements, and most inputs have one
 * or two actions.
 */

// A local constant: in a separate realm, a global is looked up on each read.
const List = Array;

/** Returns an array of that length, to be filled by the caller. Length one, the most frequent, avoids a call. */
export const listOf = <T>(length: number): T[] => (length === 1 ? [undefined as T] : new List<T>(length));
