/** Determines whether a policy has a row for an action and given patterns, without running the rows. */
import type { BundledScope } from "../bundle.ts";
import { matches } from "./glob.ts";
import type { PolicyContent } from "./loaded-unit.ts";
import { ownText } from "../own-text.ts";
import { matchedOf, shareBits } from "./patterns.ts";
import { memoized } from "./memoize.ts";
import type { Matched } from "./unit.ts";

/** Most actions cached for each policy. */
const maxActions = 64;
/** UTF-16 units; longer actions are not cached. */
const longestAction = 64;

/** The patterns of the rows that apply to an action. */
interface About {
  readonly action: string;
  readonly patterns: Matched;
}

/** Returns a test whether a row of the policy applies to both an action and one of the matching patterns. */
export function rowsApply({ rows, patterns }: BundledScope): PolicyContent["applies"] {
  const about = memoized(
    maxActions,
    (action): About => {
      const found = rows.filter(({ actions }) => actions.some((match) => matches(match, action)));
      return { action: ownText(action), patterns: matchedOf([...new Set(found.flatMap((row) => row.patterns))], patterns.length) };
    },
    longestAction,
  );
  // Cache of one: usually each request asks about one action first, and consecutive requests about the same.
  let last: About | undefined;
  return (action, matched) => {
    if (last?.action !== action) {
      const found = about(action);
      if (action.length > longestAction) return shareBits(matched, found.patterns);
      last = found;
    }
    return shareBits(matched, last.patterns);
  };
}
