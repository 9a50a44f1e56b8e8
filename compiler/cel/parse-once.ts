/** A cache of parsed expressions: the policies of many tenants hold the same ones. */
import { parse, type ParseResult } from "./parse.ts";

/** Longer texts are hardly ever said twice. */
const longestKept = 1000;
/** Characters of all texts that are kept: their trees take some megabytes at most. */
const mostKept = 200_000;

// A memo, not a state: what a text parses to never changes.
const known = new Map<string, ParseResult>();
let kept = 0;

/** Parses a text; the same text gives, mostly, the same tree, so that what is found out about one can be kept with it. */
export function parseOnce(text: string): ParseResult {
  const before = known.get(text);
  if (before !== undefined) return before;
  const result = parse(text);
  if (text.length > longestKept) return result;
  if (kept > mostKept) {
    known.clear();
    kept = 0;
  }
  known.set(text, result);
  kept += text.length;
  return result;
}
