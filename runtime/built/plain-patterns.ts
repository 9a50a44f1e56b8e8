/** Stands in a built module for the machine of regular expressions, where no pattern needs one. */
import { type Plain, readPlain } from "../cel/plain-pattern.ts";
import { work, workOver } from "../cel/work.ts";
import type { Result } from "../emitted/access.ts";
import type { Surroundings } from "../emitted/load-time.ts";
import type { findAll as find, groupCount as count, matchesPattern as matches } from "../cel/regex.ts";
import { invariant } from "../cel/error.ts";
import { nobodyAsks } from "./nobody-asks.ts";

const known = new Map<string, Plain>();

/** `text.matches(pattern)`, as generated code calls it: without looking for an overload, of which there is one. */
export function plainMatches(_surroundings: Surroundings, text: Result, pattern: Result): boolean | undefined {
  if (typeof text !== "string" || typeof pattern !== "string") return undefined;
  work(8);
  workOver(text);
  return open(pattern)(text);
}

/** Says whether a pattern is found anywhere in a text. */
export const matchesPattern: typeof matches = (text, pattern) => open(pattern)(text);

function open(pattern: string): Plain {
  const plain = known.get(pattern) ?? readPlain(pattern);
  invariant(plain !== undefined, "who builds a module puts the machine in it wherever a pattern may need one");
  known.set(pattern, plain);
  return plain;
}

export const findAll: typeof find = nobodyAsks;
export const groupCount: typeof count = nobodyAsks;
