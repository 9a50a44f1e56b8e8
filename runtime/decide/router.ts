/** Finds the route of a request through the policies, and caches it: that changes how fast the next answer comes, never which. */
import type { LoadedUnit } from "./loaded-unit.ts";
import { sanitiseName } from "./policy-name.ts";
import { openPrincipalRoute } from "./principal-route.ts";
import { nameIn, type PolicyIndex, type TypeIndex } from "./policy-index.ts";
import type { Meetings } from "./meetings.ts";
import { ownText } from "../own-text.ts";
import { type Destination, nowhere, openResourceRoute, type Route } from "./route.ts";
import { nearestScope } from "./scopes.ts";

/** The routes of one policy set. */
export interface Router {
  readonly resource: FindRoute;
  readonly principal: FindRoute;
  /** Where the last resource led, where that is remembered. */
  readonly resources: Recent | undefined;
  /** Whether there are policies of principals at all. */
  readonly hasPrincipals: boolean;
  /** Whether a principal has policies of some version: most have none, and nothing more is asked of them. */
  readonly hasPolicy: (name: string) => boolean;
}

/** Opens the routes of a policy set. */
export function openRouter(index: PolicyIndex): Router {
  // Of a kind without policies only role policies can speak.
  const speaksOfStrangers = index.role.units.length > 0;
  const meetings: Meetings = new Map();
  const resources = openMemory(
    index.resource,
    sanitiseName,
    speaksOfStrangers,
    (scope) => index.role.parentsIn(scope) !== undefined,
    (unit, to) => openResourceRoute(index, meetings, unit, to),
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

/** Where a resource led: those of a request are mostly of one kind, and found without a look at any map. */
interface Recent {
  name: string;
  version: string;
  scope: string;
  lenient: boolean;
  /** Absent before the first. */
  route: Route | undefined;
}

const leadsTo = (to: Destination, name: string, version: string, scope: string, lenient: boolean): boolean =>
  to.scope === scope && to.lenient === lenient && to.version === version && to.name === name;

/** A version and a scope that are asked in. Few are, of many names: what is kept of each name is its route, and nothing else is looked at. */
interface Place {
  readonly version: string;
  readonly scope: string;
  readonly byName: Map<string, Route>;
  /** Another version of the scope. */
  readonly next: Place | undefined;
}

/** Where a name led that is not kept by its place. */
interface Stray extends Destination {
  readonly route: Route;
}

/** How many routes are remembered: those of a large set are asked in turn. */
const leastRoutes = 8192;
const routesOfUnit = 4;
/** No longer text of a request is kept by anybody: what reads requests counts on it. */
export const longestRemembered = 512;
/** How many names are remembered that have no unit, or are asked about in scopes that no policy has. */
const leastStrays = 1024;

/** What a request makes up may be long; what policies are called is not. */
const isShort = (name: string, version: string, scope: string): boolean => name.length + version.length + scope.length <= longestRemembered;

/** A copy, which stands beside what else is kept of a route: the unit's own name may be anywhere in a large memory. */
const copyOf = (name: string): string => JSON.parse(JSON.stringify(name)) as string; // a text, as it was

function openMemory(
  { units, scopes }: TypeIndex,
  plain: (name: string) => string,
  speaksOfStrangers: boolean,
  hasParents: (scope: string) => boolean,
  open: (unit: LoadedUnit | undefined, to: Destination) => Route,
): { readonly find: FindRoute; readonly recent: Recent } {
  const places = new Map<string, Place>();
  // Requests make up names and scopes, so that only some are kept.
  const strays = new Map<string, Stray>();
  const mostRoutes = Math.max(leastRoutes, units.size * routesOfUnit);
  const mostStrays = Math.max(leastStrays, units.size);
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
    if (++count > mostRoutes) {
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
    // The name counts for role policies as it is written; of all that lead to a unit, those are kept that a policy has.
    const isNamed = unit !== undefined && (name === nameIn(unit) || name === unit.writtenName);
    // A scope that exists has one chain, lenient or not.
    if (isNamed && scopes.all.has(scope)) {
      const own = copyOf(name);
      const route = open(unit, { name: own, version: unit.version, scope, lenient });
      keep(own, unit.version, scope, route);
      return route;
    }
    const to = { name, version, scope, lenient };
    const route = open(unit, to);
    if (isShort(name, version, scope)) {
      if (strays.size >= mostStrays && !strays.has(name)) strays.clear();
      strays.set(name, { ...to, route });
    }
    return route;
  };

  /** A scope that no policy has leads where the nearest above it leads, unless roles narrow others in one of them. */
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
  // Short, so that engines put it where it is called.
  return {
    recent,
    find: (name, version, scope, lenient) =>
      recent.route !== undefined && leadsTo(recent, name, version, scope, lenient) ? recent.route : find(name, version, scope, lenient),
  };
}
