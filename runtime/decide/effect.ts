/** What the rows of one policy say about one action and one role: nothing, that it is allowed, that it is denied. */

/** Small integers, because generated code answers with them many times a request. */
export const NONE = 0;
export const ALLOW = 1;
export const DENY = 2;

/** One of the three. */
export type RowEffect = typeof NONE | typeof ALLOW | typeof DENY;
