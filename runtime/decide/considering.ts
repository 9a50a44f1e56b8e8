/** Determines whether rows of a policy are about an action, given the patterns that match: what was considered is known without running the rows. */
import type { BundledScope } from "../bundle.ts";
import { matches } from "./glob.ts";
import type { Terms } from "./loaded-unit.ts";
import { ownText } from "../own-text.ts";
import { matchedOf, shareBits } from "./patterns.ts";
import { remembering } from "./remember.ts";
import type { Matched } from "./unit.ts";

/** How many actions each policy remembers the rows of. */
const mostActions = 64;
/** Longer ones are not remembered. */
const longestAction = 64;

/** Which patterns have a row about an action. */
interface About {
  readonly action: string;
  readonly patterns: Matched;
}

/** Says of an action and of patterns whether a row of the policy is about both. */
export function considering({ rows, patterns }: BundledScope): Terms["considers"] {
  const about = remembering(
    mostActions,
    (action): About => {
      const found = rows.filter(({ actions }) => actions.some((match) => matches(match, action)));
      return { action: ownText(action), patterns: matchedOf([...new Set(found.flatMap((row) => row.patterns))], patterns.length) };
    },
    longestAction,
  );
  // Of a request's actions mostly the first one is asked about, and that of the next request is often the same.
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
