/** Stands in a built module for the short way to a decision: its callers want to know everything, so that it is never taken. */
import { invariant } from "../cel/error.ts";
import type { asksPlainly as asks, decidePlainly as decide } from "../decide/plain.ts";

export const asksPlainly: typeof asks = () => false;

function nobodyAsks(): never {
  invariant(false, "who builds a module has nobody decide by the short way");
}

export const decidePlainly: typeof decide = nobodyAsks;
