/** Replaces the sharing of caches between routes in built modules: they have few units, and each gets its own. */
import type { roleCacheOf as roleCache } from "../decide/role-caches.ts";
import { openRolePaths } from "../decide/role-path.ts";

export const roleCacheOf: typeof roleCache = (visits, parents, kind) => ({
  pathOf: openRolePaths(visits, parents, kind),
  recent: [],
  visits,
});
