/**
 * Replaces `decide/recent-ways.ts` in modules for browsers and workers: only the last list of roles is cached,
 * because there is usually one user.
 */
import { roleWays } from "../decide/role-ways.ts";
import type { recentWays as find } from "../decide/recent-ways.ts";

export const recentWays: typeof find = (roleCache, roles) => {
  const [last] = roleCache.recent;
  if (last?.length === roles.length && last.roles.every((role, at) => role === roles[at])) return last;
  const found = roleWays(roleCache.wayOf, [...roles]);
  roleCache.recent = [found];
  return found;
};
