/** A cache of parsed expressions, because the policies of many tenants contain the same ones. */
import { parse, type ParseResult } from "./parse.ts";

/** UTF-16 units; longer texts are rarely repeated. */
const maximumCachedLength = 1000;
/** UTF-16 units of all cached texts; their trees take some megabytes at most. */
const maximumCached = 200_000;

// Only a cache: parsing is deterministic.
const known = new Map<string, ParseResult>();
let kept = 0;

/** Parses a text. Equal texts usually return the same tree object, so that results about it can be cached by identity. */
export function parseCached(text: string): ParseResult {
  const before = known.get(text);
  if (before !== undefined) return before;
  const result = parse(text);
  if (text.length > maximumCachedLength) return result;
  if (kept > maximumCached) {
    known.clear();
    kept = 0;
  }
  known.set(text, result);
  kept += text.length;
  return result;
}
