/** The ways of few roles on a route, which are compared with those that came last: mostly the same come again. */
import { listOf } from "./list-of.ts";
import { type Meeting, roleWays, type RoleWays } from "./role-ways.ts";

/** Finds the ways of at most `few` roles. */
export function waysOfFew(meeting: Meeting, roles: readonly string[]): RoleWays {
  const { recent } = meeting;
  const first = roles[0];
  const { length } = roles;
  for (let at = 0; at < recent.length; at++) {
    const known = recent[at];
    if (known !== undefined && known.first === first && known.length === length && (length < 2 || areEqual(known.roles, roles)))
      return known;
  }
  return rememberWays(meeting, roles);
}

/** How many lists of roles are remembered. */
const mostLists = 8;

function rememberWays(meeting: Meeting, roles: readonly string[]): RoleWays {
  // Principals hold groups that no policy speaks of, each another: loops by index, which engines do not hand to iterators.
  const kept = listOf<string>(roles.length);
  let isShort = true;
  for (let at = 0; at < kept.length; at++) {
    const role = roles[at] ?? "";
    kept[at] = role;
    isShort &&= role.length <= longestKept;
  }
  const found = roleWays(meeting.wayOf, kept);
  if (isShort) meeting.recent = listBefore(found, meeting.recent);
  return found;
}

/** A new list, with room for no more than it holds, as most routes meet one. */
function listBefore(found: RoleWays, before: readonly RoleWays[]): readonly RoleWays[] {
  const recent = listOf<RoleWays>(Math.min(before.length + 1, mostLists));
  recent[0] = found;
  for (let at = 1; at < recent.length; at++) recent[at] = before[at - 1] ?? found;
  return recent;
}

/** A route outlives the call: what a request makes up may be long, what roles are called is not. */
const longestKept = 64;

/** Of lists as long as each other. */
function areEqual(left: readonly string[], right: readonly string[]): boolean {
  for (let at = 0; at < left.length; at++) if (left[at] !== right[at]) return false;
  return true;
}
