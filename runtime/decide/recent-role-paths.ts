/** Finds the paths of a few roles, by comparing them with the last lists, which usually recur. */
import { type RoleCache, rolePaths, type RolePaths } from "./role-paths.ts";

/** Returns the paths of at most `maxComparedRoles` roles. */
export function recentRolePaths(roleCache: RoleCache, roles: readonly string[]): RolePaths {
  const { recent } = roleCache;
  const first = roles[0];
  const { length } = roles;
  for (let at = 0; at < recent.length; at++) {
    const known = recent[at];
    if (known !== undefined && known.first === first && known.length === length && (length < 2 || areEqual(known.roles, roles)))
      return known;
  }
  return cacheWays(roleCache, roles);
}

/** Most lists cached for each cache. */
const maxLists = 8;

function cacheWays(roleCache: RoleCache, roles: readonly string[]): RolePaths {
  // An index loop, because V8 does not optimise iterators here. Principals often hold roles that no policy names, each
  // different ones.
  const kept = roles.slice();
  let isShort = true;
  for (let at = 0; at < kept.length; at++) isShort &&= (kept[at] ?? "").length <= longestKept;
  const found = rolePaths(roleCache.pathOf, kept);
  if (isShort) roleCache.recent = listBefore(found, roleCache.recent);
  return found;
}

/** A list of exact length, because most routes have only one entry. */
const listBefore = (found: RolePaths, before: readonly RolePaths[]): readonly RolePaths[] => [found, ...before.slice(0, maxLists - 1)];

/** UTF-16 units. The cache outlives the call, so long role names from requests are not kept. */
const longestKept = 64;

/** Compares lists of equal length. */
function areEqual(left: readonly string[], right: readonly string[]): boolean {
  for (let at = 0; at < left.length; at++) if (left[at] !== right[at]) return false;
  return true;
}
