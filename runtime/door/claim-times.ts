/** The times of claims, `exp`, `nbf` and `iat`: as tokens have them, and as conditions read them. */
import { EvalError } from "../cel/error.ts";
import { parseTimestamp } from "../cel/timestamp-text.ts";

/** The end of the year 9999: what RFC 3339 can write. */
const latest = 253_402_300_799;

/** Reads seconds since 1970, as a number or in digits, or RFC 3339; parts of a second are dropped. Undefined for what is no such time. */
export function readSeconds(claim: unknown): number | undefined {
  const seconds = typeof claim === "number" ? claim : typeof claim === "string" ? readText(claim) : Number.NaN;
  return seconds >= 0 && seconds <= latest ? Math.trunc(seconds) : undefined;
}

function readText(text: string): number {
  if (/^\d{1,12}(?:\.\d{1,9})?$/.test(text)) return Number(text);
  const parsed = parseTimestamp(text);
  return parsed instanceof EvalError ? Number.NaN : parsed.seconds;
}

/** Prints such seconds as RFC 3339, in UTC. */
export const printSeconds = (seconds: number): string => new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
