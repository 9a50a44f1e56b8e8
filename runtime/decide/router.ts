/** Finds routes, and remembers them: that changes how fast the next answer comes, never which. */
import type { LoadedUnit } from "./loaded-unit.ts";
import { sanitiseName } from "./policy-name.ts";
import { openPrincipalRoute } from "./principal-route.ts";
import { nameIn, type PolicyIndex, type TypeIndex } from "./policy-index.ts";
import type { Meetings } from "./meetings.ts";
import { ownText } from "../own-text.ts";
import { type Destination, nowhere, openResourceRoute, type Route } from "./route.ts";

/** The routes of one policy set. */
export interface Router {
  readonly resource: FindRoute;
  readonly principal: FindRoute;
  /** Where the last resource led. */
  readonly resources: Recent;
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
  const resources = openMemory(index.resource, sanitiseName, speaksOfStrangers, (unit, to) => openResourceRoute(index, meetings, unit, to));
  const principals = openMemory(
    index.principal,
    (name) => name,
    false,
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

/** The resources of a request are mostly of one kind: found without a look at any map. */
interface Recent {
  found: Found | undefined;
}

const leadsTo = (found: Found, name: string, version: string, scope: string, lenient: boolean): boolean =>
  found.scope === scope && found.lenient === lenient && found.version === version && found.name === name;

/** A unit that was asked, and the routes that were found for it. What one look needs stands in few places. */
interface Entry {
  readonly unit: LoadedUnit;
  /** As the index has it. */
  readonly name: string;
  readonly version: string;
  last: Found | undefined;
  readonly byScope: Map<string, Found>;
  /** Another version of the name. */
  readonly next: Entry | undefined;
}

interface Found extends Destination {
  route: Route;
}

/** How many routes are remembered besides the last one of each unit: those of a large set are asked in turn. */
const leastRoutes = 8192;
const routesOfUnit = 4;
/** No longer text of a request is kept by anybody: what reads requests counts on it. */
export const longestRemembered = 512;
/** How many names that have no unit are remembered. */
const mostStrangers = 1024;

function openMemory(
  { units, scopes }: TypeIndex,
  plain: (name: string) => string,
  speaksOfStrangers: boolean,
  open: (unit: LoadedUnit | undefined, to: Destination) => Route,
): { readonly find: FindRoute; readonly recent: Recent } {
  // By names of units: those that a request makes up are not remembered.
  const entries = new Map<string, Entry>();
  // By names without a unit: requests make such names up, so that only some are kept.
  const strangers = new Map<string, Found>();
  const mostRoutes = Math.max(leastRoutes, units.size * routesOfUnit);
  let count = 0;
  const recent: Recent = { found: undefined };

  const findEntry = (name: string, version: string): Entry | undefined => {
    let entry = entries.get(name);
    while (entry !== undefined && entry.version !== version) entry = entry.next;
    return entry;
  };
  const openEntry = (name: string, version: string): Entry | undefined => {
    const versions = units.get(name) ?? units.get(plain(name));
    const unit = versions?.get(version);
    if (unit === undefined) return undefined;
    const key = ownText(nameIn(unit));
    const known = findEntry(key, version);
    if (known !== undefined) return known;
    const next = entries.get(key);
    const entry = { unit, name: key, version: unit.version, last: undefined, byScope: new Map<string, Found>(), next };
    entries.set(key, entry);
    return entry;
  };

  const keep = (entry: Entry, found: Found): void => {
    if (++count > mostRoutes) {
      entries.clear();
      count = 1;
    }
    entry.byScope.set(found.scope, found);
  };

  const find: FindRoute = (name, version, scope, lenient) => {
    const known = findEntry(name, version);
    const last = known === undefined ? strangers.get(name) : known.last;
    if (last !== undefined && leadsTo(last, name, version, scope, lenient)) return (recent.found = last).route;
    const entry = known ?? openEntry(name, version);
    if (entry === undefined && !speaksOfStrangers) return nowhere;
    // A scope that exists has one chain, lenient or not. The name counts for role policies, as it is written.
    const isKept = entry !== undefined && scopes.all.has(scope) && units.has(name);
    let found = isKept ? entry.byScope.get(scope) : undefined;
    // Made only where there is none: engines make at once old what mostly stays, and what is then thrown away stays longest.
    if (found === undefined) {
      // The texts that were looked up a moment ago, rather than equal ones elsewhere in memory.
      const own = entry?.name === name ? entry : { name, version };
      found = { name: own.name, version: own.version, scope, lenient, route: nowhere };
      found.route = open(entry?.unit, found);
      if (isKept) keep(entry, found);
    }
    // What a request makes up may be long; what policies are called is not.
    if (name.length + version.length + scope.length > longestRemembered) return found.route;
    recent.found = found;
    if (entry === undefined) keepStranger(strangers, found);
    else entry.last = found;
    return found.route;
  };
  // Short, so that engines put it where it is called.
  return {
    recent,
    find: (name, version, scope, lenient) =>
      recent.found !== undefined && leadsTo(recent.found, name, version, scope, lenient)
        ? recent.found.route
        : find(name, version, scope, lenient),
  };
}

/** Remembers the last route of a name. */
function keepStranger(strangers: Map<string, Found>, found: Found): void {
  if (strangers.size >= mostStrangers && !strangers.has(found.name)) strangers.clear();
  strangers.set(found.name, found);
}
