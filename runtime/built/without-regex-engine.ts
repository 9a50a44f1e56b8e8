/** Replaces the regex engine in built modules whose patterns do not need it. */
import { type Plain, readPlain } from "../cel/plain-pattern.ts";
import { work, workOver } from "../cel/work.ts";
import type { Result } from "../emitted/access.ts";
import type { Surroundings } from "../emitted/load-time.ts";
import type { findAll as find, groupCount as count, matchesPattern as matches } from "../cel/regex.ts";
import { invariant } from "../cel/error.ts";
import { notIncluded } from "./not-included.ts";

const known = new Map<string, Plain>();

/** `text.matches(pattern)` for generated code, without overload resolution, because it has only one overload. */
export function plainMatches(_surroundings: Surroundings, text: Result, pattern: Result): boolean | undefined {
  if (typeof text !== "string" || typeof pattern !== "string") return undefined;
  work(8);
  workOver(text);
  return open(pattern)(text);
}

/** Whether a pattern matches anywhere in a string. */
export const matchesPattern: typeof matches = (text, pattern) => open(pattern)(text);

function open(pattern: string): Plain {
  const plain = known.get(pattern) ?? readPlain(pattern);
  invariant(plain !== undefined, "who builds a module puts the machine in it wherever a pattern may need one");
  known.set(pattern, plain);
  return plain;
}

export const findAll: typeof find = notIncluded;
export const groupCount: typeof count = notIncluded;
