/** Replaces `own-text.ts` in built modules: strings there are literals of a program, not slices. */
import type { ownText as own } from "../own-text.ts";

export const ownText: typeof own = (text) => text;
