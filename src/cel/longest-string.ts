/** Finds the length of the longest string within values: an iteration of a loop may compare two of them. */
import { longestText as maxStringLength } from "../../runtime/cel/limits.ts";
import { CelMap } from "../../runtime/cel/value.ts";

/** The most values that are visited. */
const maxParts = 8_000_000;

/** Returns the length of the longest string or bytes within a value. If it has too many parts to visit them all, returns the limit for strings. */
export function longestStringIn(value: unknown): number {
  const waiting: unknown[] = [value];
  let longest = 0;
  for (let seen = 0; waiting.length > 0 && seen < maxParts; seen++) {
    const part = waiting.pop();
    if (typeof part === "string" || part instanceof Uint8Array) longest = Math.max(longest, part.length);
    else if (part instanceof CelMap) for (const entry of part.entries.values()) waiting.push(...entry);
    else if (typeof part === "object" && part !== null) for (const inner of Object.values(part)) waiting.push(inner);
  }
  return waiting.length > 0 ? maxStringLength : longest;
}
