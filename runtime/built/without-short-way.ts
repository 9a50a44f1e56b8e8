/** Replaces the fast paths in built modules that leave them out. */
import type { asksPlainly as asks, decidePlainly as decide } from "../decide/plain.ts";
import type { decideQuietly as quietly } from "../decide/quiet.ts";
import type { decideRecorded as decideAndRecord } from "../decide/recorded.ts";
import type { allowsStraight as allowsAhead, decideStraight as decideAhead, goesStraight as goes } from "../decide/straight.ts";
import { nobodyAsks } from "./nobody-asks.ts";

export const asksPlainly: typeof asks = () => false;

export const goesStraight: typeof goes = () => false;

export const decidePlainly: typeof decide = nobodyAsks;

export const decideQuietly: typeof quietly = nobodyAsks;

export const decideRecorded: typeof decideAndRecord = () => undefined;

export const decideStraight: typeof decideAhead = nobodyAsks;

export const allowsStraight: typeof allowsAhead = () => undefined;
