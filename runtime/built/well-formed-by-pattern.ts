/** Replaces `door/well-formed.ts` in modules for browsers and workers: browsers of 2023 lack `isWellFormed`. */
import type { isWellFormed as known } from "../door/well-formed.ts";

export const isWellFormed: typeof known = (text) => !/\p{Surrogate}/u.test(text);
