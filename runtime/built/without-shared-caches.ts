/** Replaces the sharing of caches between routes in built modules: they have few units, and each gets its own. */
import type { roleCacheOf as roleCache } from "../decide/role-caches.ts";
import { openWays } from "../decide/way.ts";

export const roleCacheOf: typeof roleCache = (visits, parents, kind) => ({
  wayOf: openWays(visits, parents, kind),
  recent: [],
  visits,
});
