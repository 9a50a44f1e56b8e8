/** Which actions the rows of a policy are about, for those patterns that match: what was considered is known without running them. */
import type { BundledScope } from "../bundle.ts";
import { matches } from "./glob.ts";
import type { Terms } from "./loaded-unit.ts";
import { matchedOf, shareBits } from "./patterns.ts";
import { remembering } from "./remember.ts";
import type { Matched } from "./unit.ts";

/** How many actions each policy remembers the rows of. */
const mostActions = 64;

/** Says of an action and of patterns whether a row of the policy is about both. */
export function considering({ rows, patterns }: BundledScope): Terms["considers"] {
  // Which patterns have a row about an action.
  const about = remembering(mostActions, (action): Matched => {
    const found = rows.filter(({ actions }) => actions.some((match) => matches(match, action)));
    return matchedOf([...new Set(found.flatMap((row) => row.patterns))], patterns.length);
  });
  return (action, matched) => shareBits(matched, about(action));
}
