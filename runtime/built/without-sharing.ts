/** Replaces the sharing of caches between routes in built modules: they have few units, and each gets its own. */
import type { meetingOn as meeting } from "../decide/meetings.ts";
import { openWays } from "../decide/way.ts";

export const meetingOn: typeof meeting = (visits, parents, kind) => ({
  wayOf: openWays(visits, parents, kind),
  recent: [],
  visits,
});
