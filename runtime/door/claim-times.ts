/** The time claims `exp`, `nbf` and `iat`: reading them from a token, and printing them for conditions. */
import { EvalError } from "../cel/error.ts";
import { parseTimestamp } from "../cel/timestamp-text.ts";

/** The end of the year 9999, the last time that RFC 3339 can express, in seconds since 1970. */
const latest = 253_402_300_799;

/**
 * Reads a time claim: seconds since 1970 as a number or in digits, or RFC 3339. Fractions are dropped. Undefined if
 * it is none of these.
 */
export function readSeconds(claim: unknown): number | undefined {
  const seconds = typeof claim === "number" ? claim : typeof claim === "string" ? readText(claim) : Number.NaN;
  // Negative zero is what is left of an instant just before 1970.
  const isAfter1970 = seconds >= 0 && !Object.is(seconds, -0);
  return isAfter1970 && seconds <= latest ? Math.trunc(seconds) : undefined;
}

function readText(text: string): number {
  if (/^\d{1,12}(?:\.\d{1,9})?$/.test(text)) return Number(text);
  const parsed = parseTimestamp(text);
  return parsed instanceof EvalError ? Number.NaN : parsed.seconds;
}

/** Prints seconds since 1970 as RFC 3339 in UTC. */
export const printSeconds = (seconds: number): string => new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
