/** Stands in a built module for the short way to a decision: its callers want to know everything, so that it is never taken. */
import { invariant } from "../cel/error.ts";
import type { asksPlainly as asks, decidePlainly as decide } from "../decide/plain.ts";
import type { decideRecorded as decideAndRecord } from "../decide/recorded.ts";
import type { decideStraight as decideAhead, goesStraight as goes } from "../decide/straight.ts";

export const asksPlainly: typeof asks = () => false;

export const goesStraight: typeof goes = () => false;

function nobodyAsks(): never {
  invariant(false, "who builds a module has nobody decide by the short way");
}

export const decidePlainly: typeof decide = nobodyAsks;

export const decideRecorded: typeof decideAndRecord = () => undefined;

export const decideStraight: typeof decideAhead = nobodyAsks;
