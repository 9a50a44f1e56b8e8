/** Stands in modules for browsers and workers for `door/well-formed.ts`: a browser of 2023 cannot be asked whether a text is well-formed. */
import type { isWellFormed as known } from "../door/well-formed.ts";

export const isWellFormed: typeof known = (text) => !/\p{Surrogate}/u.test(text);
