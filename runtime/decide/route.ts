/** The way of a request through the policies of one type: which scopes it visits, and what each would be reported as. */
import type { ActionDecision } from "./decision.ts";
import { keyOf, type PolicyType, sanitiseName } from "./policy-name.ts";
import type { LoadedUnit, Route, TypeIndex, Visit } from "./policy-index.ts";
import { scopeChain } from "./scopes.ts";

/** The report of a request that no policy speaks of. */
export const noMatch: ActionDecision = Object.freeze({ effect: "EFFECT_DENY", matchedPolicy: "NO_MATCH", matchedScope: "" });

const nowhere: Route = { unit: undefined, visits: [], undecided: noMatch };

/** Finds the way for a name, version and scope. A name is compared as it is sanitised, as the policies' names are. */
export function findRoute(index: TypeIndex, type: PolicyType, name: string, version: string, scope: string, lenient: boolean): Route {
  const versions = index.units.get(name) ?? index.units.get(sanitiseName(name));
  const unit = versions?.get(version);
  if (unit === undefined) return nowhere;
  const { last } = unit.memory;
  if (last !== undefined && last.scope === scope && last.lenient === lenient && last.index === index) return last.route;
  const route = openRoute(index, type, unit, scope, lenient);
  unit.memory.last = { scope, lenient, index, route };
  return route;
}

function openRoute(index: TypeIndex, type: PolicyType, unit: LoadedUnit, scope: string, lenient: boolean): Route {
  const chain = scopeChain(index.scopes, scope, lenient);
  const [leaf] = chain;
  if (leaf === undefined) return nowhere;
  const key = keyOf(type, unit.name, unit.version, leaf);
  const parts = new Map(unit.program().scopes);
  const visits = chain.flatMap((visited): readonly Visit[] => {
    const part = parts.get(visited);
    if (part === undefined) return [];
    return [
      {
        policy: unit.scopes.findIndex((of) => of.scope === visited),
        part,
        allow: Object.freeze({ effect: "EFFECT_ALLOW", matchedPolicy: key, matchedScope: visited }),
        deny: Object.freeze({ effect: "EFFECT_DENY", matchedPolicy: key, matchedScope: visited }),
      },
    ];
  });
  if (visits.length === 0) return nowhere;
  return { unit, visits, undecided: Object.freeze({ effect: "EFFECT_DENY", matchedPolicy: key, matchedScope: "" }) };
}
