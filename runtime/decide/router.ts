/** Finds the route of a request and caches it. The cache changes speed, never results. */
import type { LoadedUnit } from "./loaded-unit.ts";
import { sanitiseName } from "./policy-name.ts";
import { openPrincipalRoute } from "./principal-route.ts";
import { nameIn, type PolicyIndex, type TypeIndex } from "./policy-index.ts";
import type { RoleCaches } from "./role-caches.ts";
import { ownText } from "../own-text.ts";
import { type Destination, nowhere, openResourceRoute, type Route } from "./route.ts";
import { nearestScope } from "./scopes.ts";

/** The routes of one policy set. */
export interface Router {
  readonly resource: FindRoute;
  readonly principal: FindRoute;
  /** The last resource route, if it was cached. */
  readonly resources: Recent | undefined;
  /** Whether there are any principal policies. */
  readonly hasPrincipals: boolean;
  /** Whether a principal has a policy of any version. Most have none. */
  readonly hasPolicy: (name: string) => boolean;
}

/** Creates the router of a policy set. */
export function openRouter(index: PolicyIndex): Router {
  // For a kind without policies, only role policies can apply.
  const speaksOfStrangers = index.role.units.length > 0;
  const roleCaches: RoleCaches = new Map();
  const resources = openMemory(
    index.resource,
    sanitiseName,
    speaksOfStrangers,
    (scope) => index.role.parentsIn(scope) !== undefined,
    (unit, to) => openResourceRoute(index, roleCaches, unit, to),
  );
  const principals = openMemory(
    index.principal,
    (name) => name,
    false,
    () => false,
    (unit, to) => (unit === undefined ? nowhere : openPrincipalRoute(index, unit, to)),
  );
  const principalIds = index.principal.units;
  return {
    resource: resources.find,
    principal: principals.find,
    resources: resources.recent,
    hasPrincipals: principalIds.size > 0,
    hasPolicy: (name) => principalIds.has(name),
  };
}

type FindRoute = (name: string, version: string, scope: string, lenient: boolean) => Route;

/** The last route: the resources of a request usually share kind, version and scope, so no map lookup is needed. */
interface Recent {
  name: string;
  version: string;
  scope: string;
  lenient: boolean;
  /** Undefined before the first. */
  route: Route | undefined;
}

const leadsTo = (to: Destination, name: string, version: string, scope: string, lenient: boolean): boolean =>
  to.scope === scope && to.lenient === lenient && to.version === version && to.name === name;

/**
 * A version and scope, with the routes by name. There are few of them and many names, so that each name costs only
 * its route.
 */
interface Place {
  readonly version: string;
  readonly scope: string;
  readonly byName: Map<string, Route>;
  /** Another version in the same scope. */
  readonly next: Place | undefined;
}

/** The route of a name that does not belong to a `Place`. */
interface Stray extends Destination {
  readonly route: Route;
}

/** Most routes cached; in a large set, in proportion to its units. */
const minRoutes = 8192;
const routesOfUnit = 4;
/** UTF-16 units. No longer string of a request is kept by anybody; the message reader relies on it. */
export const longestRemembered = 512;
/** Most cached routes of names without a unit, or in scopes without a policy. */
const minStrays = 1024;

/** Names from requests may be long; names of policies are not. */
const isShort = (name: string, version: string, scope: string): boolean => name.length + version.length + scope.length <= longestRemembered;

/** Copies a string, so that it is near the route in memory; the unit's own name may be anywhere. */
const copyOf = (name: string): string => JSON.parse(JSON.stringify(name)) as string; // a string again

/**
 * Finds routes through a cache; `open` creates one. `speaksOfStrangers`: whether there are role policies, which can match
 * a kind that has no policy.
 */
function openMemory(
  { units, scopes }: TypeIndex,
  plain: (name: string) => string,
  speaksOfStrangers: boolean,
  hasParents: (scope: string) => boolean,
  open: (unit: LoadedUnit | undefined, to: Destination) => Route,
): { readonly find: FindRoute; readonly recent: Recent } {
  const places = new Map<string, Place>();
  // Requests can invent names and scopes, so only a bounded number is kept.
  const strays = new Map<string, Stray>();
  const maxRoutes = Math.max(minRoutes, units.size * routesOfUnit);
  const maxStrays = Math.max(minStrays, units.size);
  let count = 0;
  const recent: Recent = { name: "", version: "", scope: "", lenient: false, route: undefined };
  let last: Place | undefined;

  const findPlace = (version: string, scope: string): Place | undefined => {
    if (last?.scope === scope && last.version === version) return last;
    let place = places.get(scope);
    while (place !== undefined && place.version !== version) place = place.next;
    if (place !== undefined) last = place;
    return place;
  };

  const keep = (name: string, version: string, scope: string, route: Route): void => {
    if (++count > maxRoutes) {
      places.clear();
      last = undefined;
      count = 1;
    }
    let place = findPlace(version, scope);
    if (place === undefined) {
      place = { version, scope: ownText(scope), byName: new Map(), next: places.get(scope) };
      places.set(place.scope, place);
    }
    place.byName.set(name, route);
  };

  const openNew: FindRoute = (name, version, scope, lenient) => {
    const unit = (units.get(name) ?? units.get(plain(name)))?.get(version);
    if (unit === undefined && !speaksOfStrangers) return nowhere;
    // The key must be the name as written, because role policies match it. Cache permanently only names that a policy
    // has.
    const isNamed = unit !== undefined && (name === nameIn(unit) || name === unit.writtenName);
    // In an existing scope, lenient and strict search find the same chain.
    if (isNamed && scopes.all.has(scope)) {
      const own = copyOf(name);
      const route = open(unit, { name: own, version: unit.version, scope, lenient });
      keep(own, unit.version, scope, route);
      return route;
    }
    const to = { name, version, scope, lenient };
    const route = open(unit, to);
    if (isShort(name, version, scope)) {
      if (strays.size >= maxStrays && !strays.has(name)) strays.clear();
      strays.set(name, { ...to, route });
    }
    return route;
  };

  /** A scope without policies has the route of its nearest existing ancestor, unless one of the two has parent roles. */
  const standsFor = (scope: string): string => {
    if (scopes.all.has(scope)) return scope;
    const nearest = nearestScope(scopes, scope);
    return nearest === undefined || hasParents(scope) || hasParents(nearest) ? scope : nearest;
  };

  const findStray = (name: string, version: string, scope: string, lenient: boolean): Route | undefined => {
    const stray = strays.get(name);
    return stray !== undefined && leadsTo(stray, name, version, scope, lenient) ? stray.route : undefined;
  };

  const find: FindRoute = (name, version, scope, lenient) => {
    const at = lenient ? standsFor(scope) : scope;
    const kept = findPlace(version, at)?.byName.get(name);
    const route = kept ?? findStray(name, version, at, lenient) ?? openNew(name, version, at, lenient);
    if (!isShort(name, version, scope)) return route;
    recent.name = name;
    recent.version = version;
    recent.scope = scope;
    recent.lenient = lenient;
    recent.route = route;
    return route;
  };
  // Kept short so that V8 inlines it.
  return {
    recent,
    find: (name, version, scope, lenient) =>
      recent.route !== undefined && leadsTo(recent, name, version, scope, lenient) ? recent.route : find(name, version, scope, lenient),
  };
}
