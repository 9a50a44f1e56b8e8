/** Faults of routes: where a name, a version and a scope lead, and what is remembered of that. */
import type { Fault } from "./plant.ts";

export const faultsOfRoutes: readonly Fault[] = [
  {
    says: "the version is ignored",
    file: "runtime/decide/router.ts",
    find: "const unit = (units.get(name) ?? units.get(plain(name)))?.get(version);",
    put: "const unit = [...((units.get(name) ?? units.get(plain(name)))?.values() ?? [])][0];",
  },
  {
    says: "a kind is not sanitised",
    file: "runtime/decide/router.ts",
    find: "units.get(name) ?? units.get(plain(name))",
    put: "units.get(name)",
  },
  {
    says: "a way is remembered for every scope",
    file: "runtime/decide/router.ts",
    find: "to.scope === scope && to.lenient === lenient && to.version === version",
    put: "to.lenient === lenient && to.version === version",
  },
  {
    says: "a way is remembered for every name",
    file: "runtime/decide/router.ts",
    find: "to.version === version && to.name === name",
    put: "to.version === version",
  },
  {
    says: "a way is remembered whether the search was lenient or not",
    file: "runtime/decide/router.ts",
    find: "to.scope === scope && to.lenient === lenient",
    put: "to.scope === scope",
    trial: 113,
  },
  {
    says: "the place that came last is taken for every scope",
    file: "runtime/decide/router.ts",
    find: "if (last?.scope === scope && last.version === version) return last;",
    put: "if (last?.version === version) return last;",
  },
  {
    says: "the place that came last is taken for every version",
    file: "runtime/decide/router.ts",
    find: "if (last?.scope === scope && last.version === version) return last;",
    put: "if (last?.scope === scope) return last;",
  },
  {
    says: "a scope is one place, whatever the version",
    file: "runtime/decide/router.ts",
    find: "while (place !== undefined && place.version !== version) place = place.next;",
    put: "",
  },
  {
    says: "kinds that are called alike when sanitised are one to role policies",
    file: "runtime/decide/router.ts",
    find: "const own = copyOf(name);",
    put: "const own = copyOf(plain(name));",
    trial: 24,
  },
  {
    says: "a scope without policies leads where the nearest leads, though roles narrow others there",
    file: "runtime/decide/router.ts",
    find: "hasParents(scope) || hasParents(nearest)",
    put: "hasParents(scope)",
    trial: 19,
  },
  {
    says: "a scope without policies leads where the nearest leads, lenient or not",
    file: "runtime/decide/router.ts",
    find: "const at = lenient ? standsFor(scope) : scope;",
    put: "const at = standsFor(scope);",
    trial: 5,
  },
  {
    says: "every scope that decides reports as the first does",
    file: "runtime/decide/route.ts",
    find: "at === 0 ? route : route.visits[at]",
    put: "route",
  },
  {
    says: "what denies is not reported",
    file: "runtime/decide/route.ts",
    find: "effect === DENY ? reports?.deny : undefined",
    put: "undefined",
  },
  {
    says: "roles that meet the same are asked once, though rules tell something",
    file: "runtime/decide/role-paths.ts",
    find: "paths.length === all.length || areQuiet(paths)",
    put: "true",
  },
  {
    says: "of several policies that roles meet the first is asked",
    file: "runtime/decide/role-paths.ts",
    find: "if (steps.length > 1 || only !== undefined) return undefined;",
    put: "if (only !== undefined) continue;",
    trial: 9,
  },
  {
    says: "of roles that meet one policy each the last is asked",
    file: "runtime/decide/role-paths.ts",
    find: "if (steps.length > 1 || only !== undefined) return undefined;",
    put: "if (steps.length > 1) return undefined;",
    trial: 21,
  },
  {
    says: "the derived roles of every scope are those of the first",
    file: "runtime/decide/pass.ts",
    find: "route.roleCache.visits[activeRoles.length]",
    put: "route.roleCache.visits[0]",
  },
];
