/** Stands in a built module for what routes share: of its few units each has its own. */
import type { meetingOn as meeting } from "../decide/meetings.ts";
import { openWays } from "../decide/way.ts";

export const meetingOn: typeof meeting = (visits, parents, kind) => ({
  wayOf: openWays(visits, parents, kind),
  recent: [],
  visits,
});
