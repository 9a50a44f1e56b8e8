/** What roles meet on routes that are alike: the nearest policy says which others of its unit are visited, and units that say the same share their terms. */
import type { Terms } from "./loaded-unit.ts";
import type { Parents } from "./role-index.ts";
import type { Meeting } from "./role-ways.ts";
import { openWays, type Visit } from "./way.ts";

/** What roles meet on the routes of one policy set, by the terms of the nearest policy. */
export type Meetings = Map<Terms, Meeting>;

/** Where role policies or parents stand on the way, it is the route's own. */
export function meetingOn(visits: readonly Visit[], parents: Parents | undefined, kind: string, meetings: Meetings): Meeting {
  const open = (): Meeting => ({ wayOf: openWays(visits, parents, kind), recent: [], visits });
  const terms = visits[0]?.policy?.terms;
  if (terms === undefined || parents !== undefined || visits.some(({ roles }) => roles !== undefined)) return open();
  const meeting = meetings.get(terms) ?? open();
  meetings.set(terms, meeting);
  return meeting;
}
