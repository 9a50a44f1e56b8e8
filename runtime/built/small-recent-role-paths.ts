/**
 * Replaces `decide/recent-role-paths.ts` in modules for browsers and workers: only the last list of roles is cached,
 * because there is usually one user.
 */
import { rolePaths } from "../decide/role-paths.ts";
import type { recentRolePaths as find } from "../decide/recent-role-paths.ts";

export const recentRolePaths: typeof find = (roleCache, roles) => {
  const [last] = roleCache.recent;
  if (last?.length === roles.length && last.roles.every((role, at) => role === roles[at])) return last;
  const found = rolePaths(roleCache.pathOf, [...roles]);
  roleCache.recent = [found];
  return found;
};
