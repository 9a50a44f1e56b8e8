/** Stands in modules for browsers and workers for `decide/router.ts`, where a few bytes less count for more: one memory for all routes. */
import type { Meetings } from "../decide/meetings.ts";
import type { LoadedUnit } from "../decide/loaded-unit.ts";
import type { TypeIndex } from "../decide/policy-index.ts";
import { sanitiseName } from "../decide/policy-name.ts";
import { openPrincipalRoute } from "../decide/principal-route.ts";
import { remembering } from "../decide/remember.ts";
import { type Destination, nowhere, openResourceRoute, type Route } from "../decide/route.ts";
import type { longestRemembered as longest, openRouter as open, Router } from "../decide/router.ts";

export const longestRemembered: typeof longest = 512;

/** How many routes are remembered of either type of policies. */
const most = 1024;

/** Opens the routes of a policy set. */
export const openRouter: typeof open = (index) => {
  const meetings: Meetings = new Map();
  const principals = index.principal.units;
  return {
    // Of a kind without policies only role policies can speak.
    resource: openMemory(index.resource, sanitiseName, (unit, to) =>
      unit === undefined && index.role.units.length === 0 ? nowhere : openResourceRoute(index, meetings, unit, to),
    ),
    principal: openMemory(
      index.principal,
      (name) => name,
      (unit, to) => (unit === undefined ? nowhere : openPrincipalRoute(index, unit, to)),
    ),
    // Only the short way asks.
    resources: undefined,
    hasPrincipals: principals.size > 0,
    hasPolicy: (name) => principals.has(name),
  };
};

type FindRoute = Router["resource"];

function openMemory(
  { units }: TypeIndex,
  plain: (name: string) => string,
  openRoute: (unit: LoadedUnit | undefined, to: Destination) => Route,
): FindRoute {
  const routeOf = remembering(
    most,
    (question) => {
      // What was written below.
      const [name, version, scope, lenient] = JSON.parse(question) as Parameters<FindRoute>;
      return openRoute((units.get(name) ?? units.get(plain(name)))?.get(version), { name, version, scope, lenient });
    },
    longestRemembered,
  );
  return (...question) => routeOf(JSON.stringify(question));
}
