/** Allocates arrays of their final length: one that grows reserves room for many more, and most inputs ask about one or two actions. */

// By a name of ours: in a realm of its own, the names of the language are looked for each time they are read.
const List = Array;

/** Makes a list of so many, each of which is to be put in. One of one, as most are, is made without a call. */
export const listOf = <T>(length: number): T[] => (length === 1 ? [undefined as T] : new List<T>(length));
