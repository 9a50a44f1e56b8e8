/** Replaces the fast paths in built modules that leave them out. */
import type { wantsOnlyDecisions as wants, decidePlainly as decide } from "../decide/fast-path-plain.ts";
import type { decideQuietly as quietly } from "../decide/fast-path-quiet.ts";
import type { decideRecorded as decideAndRecord } from "../decide/fast-path-recorded.ts";
import type { allowsFast as allowsAhead, decideFast as decideAhead, canTakeFastPath as goes } from "../decide/fast-path.ts";
import { notIncluded } from "./not-included.ts";

export const wantsOnlyDecisions: typeof wants = () => false;

export const canTakeFastPath: typeof goes = () => false;

export const decidePlainly: typeof decide = notIncluded;

export const decideQuietly: typeof quietly = notIncluded;

export const decideRecorded: typeof decideAndRecord = () => undefined;

export const decideFast: typeof decideAhead = notIncluded;

export const allowsFast: typeof allowsAhead = () => undefined;
