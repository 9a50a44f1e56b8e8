/** Replaces `decide/router.ts` in modules for browsers and workers: one cache for all routes, in less code. */
import type { RoleCaches } from "../decide/role-caches.ts";
import type { LoadedUnit } from "../decide/loaded-unit.ts";
import type { TypeIndex } from "../decide/policy-index.ts";
import { sanitiseName } from "../decide/policy-name.ts";
import { openPrincipalRoute } from "../decide/principal-route.ts";
import { memoized } from "../decide/memoize.ts";
import { type Destination, nowhere, openResourceRoute, type Route } from "../decide/route.ts";
import type { longestRemembered as longest, openRouter as open, Router } from "../decide/router.ts";

export const longestRemembered: typeof longest = 512;

/** Most routes cached for each of the two types of policies. */
const most = 1024;

/** Creates the router of a policy set. */
export const openRouter: typeof open = (index) => {
  const roleCaches: RoleCaches = new Map();
  const principals = index.principal.units;
  return {
    // For a kind without policies, only role policies can apply.
    resource: openMemory(index.resource, sanitiseName, (unit, to) =>
      unit === undefined && index.role.units.length === 0 ? nowhere : openResourceRoute(index, roleCaches, unit, to),
    ),
    principal: openMemory(
      index.principal,
      (name) => name,
      (unit, to) => (unit === undefined ? nowhere : openPrincipalRoute(index, unit, to)),
    ),
    // Only the fast path `fast-path.ts` reads it.
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
  const routeOf = memoized(
    most,
    (question) => {
      // The key as written below.
      const [name, version, scope, lenient] = JSON.parse(question) as Parameters<FindRoute>;
      return openRoute((units.get(name) ?? units.get(plain(name)))?.get(version), { name, version, scope, lenient });
    },
    longestRemembered,
  );
  return (...question) => routeOf(JSON.stringify(question));
}
