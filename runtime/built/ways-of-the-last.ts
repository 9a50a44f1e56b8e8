/** Stands in modules for browsers and workers for `decide/ways-of-few.ts`: one person asks there, so that the roles that came last are remembered. */
import { roleWays } from "../decide/role-ways.ts";
import type { waysOfFew as find } from "../decide/ways-of-few.ts";

export const waysOfFew: typeof find = (meeting, roles) => {
  const [last] = meeting.recent;
  if (last?.length === roles.length && last.roles.every((role, at) => role === roles[at])) return last;
  const found = roleWays(meeting.wayOf, [...roles]);
  meeting.recent = [found];
  return found;
};
