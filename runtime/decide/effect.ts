/** The result of one policy's rows for one action and one role: no decision, allow, or deny. */

/** Small integers, because generated code returns them many times in a request. */
export const NONE = 0;
export const ALLOW = 1;
export const DENY = 2;

export type RowEffect = typeof NONE | typeof ALLOW | typeof DENY;
