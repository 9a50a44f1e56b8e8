/**
 * Shares the cache of roles between routes that are alike: the nearest policy determines which other policies of its
 * unit are visited, and units with the same rows share their `Terms`.
 */
import type { Terms } from "./loaded-unit.ts";
import type { Parents } from "./role-index.ts";
import type { Meeting } from "./role-ways.ts";
import { openWays, type Visit } from "./way.ts";

/** The shared caches of one policy set, by the `Terms` of the nearest policy. */
export type Meetings = Map<Terms, Meeting>;

/** Returns the shared cache; a new one if role policies or parent roles are on the route. */
export function meetingOn(visits: readonly Visit[], parents: Parents | undefined, kind: string, meetings: Meetings): Meeting {
  const open = (): Meeting => ({ wayOf: openWays(visits, parents, kind), recent: [], visits });
  const terms = visits[0]?.policy?.terms;
  if (terms === undefined || parents !== undefined || visits.some(({ roles }) => roles !== undefined)) return open();
  const meeting = meetings.get(terms) ?? open();
  meetings.set(terms, meeting);
  return meeting;
}
