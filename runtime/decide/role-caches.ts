/**
 * Shares the cache of roles between routes that are alike: the nearest policy determines which other policies of its
 * unit are visited, and units with the same rows share their `PolicyContent`.
 */
import type { PolicyContent } from "./loaded-unit.ts";
import type { Parents } from "./role-index.ts";
import type { RoleCache } from "./role-paths.ts";
import { openRolePaths, type Visit } from "./role-path.ts";

/** The shared caches of one policy set, by the `PolicyContent` of the nearest policy. */
export type RoleCaches = Map<PolicyContent, RoleCache>;

/** Returns the shared cache; a new one if role policies or parent roles are on the route. */
export function roleCacheOf(visits: readonly Visit[], parents: Parents | undefined, kind: string, roleCaches: RoleCaches): RoleCache {
  const open = (): RoleCache => ({ pathOf: openRolePaths(visits, parents, kind), recent: [], visits });
  const content = visits[0]?.policy?.content;
  if (content === undefined || parents !== undefined || visits.some(({ roles }) => roles !== undefined)) return open();
  const roleCache = roleCaches.get(content) ?? open();
  roleCaches.set(content, roleCache);
  return roleCache;
}
