/** The route through the policies of one principal. */
import type { LoadedUnit } from "./loaded-unit.ts";
import type { PolicyIndex } from "./policy-index.ts";
import { keyOf } from "./policy-name.ts";
import { type Destination, nowhere, openVisit, reportBy, type Route } from "./route.ts";
import { scopeChain } from "./scopes.ts";
import { openKindPaths } from "./role-path.ts";

/** Finds the scopes to visit in the policies of a principal. */
export function openPrincipalRoute(index: PolicyIndex, unit: LoadedUnit, to: Destination): Route {
  const chain = scopeChain(index.principal.scopes, to.scope, to.lenient);
  const report = reportBy(keyOf("principal", unit.name, unit.version, chain[0] ?? ""));
  const visits = chain.flatMap((scope) => openVisit(unit, scope, report, undefined));
  if (visits.length === 0) return nowhere;
  const roleCache = { pathOf: openKindPaths(visits), recent: [], visits };
  const [{ allow, deny } = nowhere] = visits;
  return { ...nowhere, roleCache, program: unit.program(), unit, undecided: report("EFFECT_DENY", ""), allow, deny, visits };
}
