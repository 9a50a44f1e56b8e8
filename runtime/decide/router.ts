/** Finds routes, and remembers them: that changes how fast the next answer comes, never which. */
import type { LoadedUnit } from "./loaded-unit.ts";
import { sanitiseName } from "./policy-name.ts";
import type { PolicyIndex, TypeIndex } from "./policy-index.ts";
import { type Destination, nowhere, openPrincipalRoute, openResourceRoute, type Route } from "./route.ts";

/** The routes of one policy set. */
export interface Router {
  readonly resource: (name: string, version: string, scope: string, lenient: boolean) => Route;
  readonly principal: (name: string, version: string, scope: string, lenient: boolean) => Route;
  /** Whether a principal has policies of some version: most have none, and nothing more is asked of them. */
  readonly hasPolicy: (name: string) => boolean;
}

/** Opens the routes of a policy set. */
export function openRouter(index: PolicyIndex): Router {
  const resources = openMemory(index.resource, sanitiseName, (unit, to) => openResourceRoute(index, unit, to));
  const principals = openMemory(
    index.principal,
    (name) => name,
    (unit, to) => (unit === undefined ? nowhere : openPrincipalRoute(index, unit, to)),
  );
  const principalIds = index.principal.units;
  return {
    resource: resources,
    principal: principals,
    hasPolicy: (name) => principalIds.size > 0 && principalIds.has(name),
  };
}

type FindRoute = Router["resource"];

const leadsTo = (found: Found, name: string, version: string, scope: string, lenient: boolean): boolean =>
  found.scope === scope && found.lenient === lenient && found.version === version && found.name === name;

/** A unit that was asked, and the routes that were found for it. */
interface Entry {
  readonly unit: LoadedUnit;
  last: Found | undefined;
  readonly byScope: Map<string, Route>;
}

interface Found extends Destination {
  readonly route: Route;
}

/** How many routes are remembered besides the last one of each unit. */
const mostRoutes = 8192;
/** No longer text of a request is kept by anybody: what reads requests counts on it. */
export const longestRemembered = 512;
/** How many names that have no unit are remembered. */
const mostStrangers = 1024;

function openMemory(
  { units, scopes }: TypeIndex,
  plain: (name: string) => string,
  open: (unit: LoadedUnit | undefined, to: Destination) => Route,
): FindRoute {
  // By names and versions of units: those that a request makes up are not remembered.
  const entries = new Map<string, Map<string, Entry>>();
  const strangers = openStrangers();
  let count = 0;
  // The resources of a request are mostly of one kind: found without a look at any map.
  let recent: Found | undefined;

  const openEntry = (name: string, version: string): Entry | undefined => {
    const versions = units.get(name) ?? units.get(plain(name));
    const unit = versions?.get(version);
    if (unit === undefined) return undefined;
    const key = units.has(name) ? name : plain(name);
    const ofName = entries.get(key) ?? new Map<string, Entry>();
    entries.set(key, ofName);
    const entry = ofName.get(version) ?? { unit, last: undefined, byScope: new Map<string, Route>() };
    ofName.set(version, entry);
    return entry;
  };

  const findOther = (entry: Entry, to: Destination): Route => {
    // A scope that exists has one chain, lenient or not. The name counts for role policies, as it is written.
    const keeps = scopes.all.has(to.scope) && units.has(to.name);
    const known = keeps ? entry.byScope.get(to.scope) : undefined;
    if (known !== undefined) return known;
    const route = open(entry.unit, to);
    if (!keeps) return route;
    if (++count > mostRoutes) {
      for (const versions of entries.values()) for (const each of versions.values()) each.byScope.clear();
      count = 1;
    }
    entry.byScope.set(to.scope, route);
    return route;
  };

  return (name, version, scope, lenient) => {
    if (recent !== undefined && leadsTo(recent, name, version, scope, lenient)) return recent.route;
    const known = entries.get(name)?.get(version);
    const last = known === undefined ? strangers.find(name) : known.last;
    if (last !== undefined && leadsTo(last, name, version, scope, lenient)) return (recent = last).route;
    const entry = known ?? openEntry(name, version);
    const to = { name, version, scope, lenient };
    const route = entry === undefined ? open(undefined, to) : findOther(entry, to);
    // What a request makes up may be long; what policies are called is not.
    if (name.length + version.length + scope.length > longestRemembered) return route;
    recent = { name, version, scope, lenient, route };
    if (entry === undefined) strangers.keep(recent);
    else entry.last = recent;
    return route;
  };
}

/** The last route of each name without a unit: requests make such names up, so that only some are kept. */
function openStrangers(): { readonly find: (name: string) => Found | undefined; readonly keep: (found: Found) => void } {
  const known = new Map<string, Found>();
  return {
    find: (name) => known.get(name),
    keep(found) {
      if (known.size >= mostStrangers && !known.has(found.name)) known.clear();
      known.set(found.name, found);
    },
  };
}
