/** The derived roles of all scopes that were visited, as one list. */

/** Sorted, and each once. */
export function activeRolesOf(lists: readonly (readonly string[])[] | undefined): readonly string[] {
  if (lists === undefined) return none;
  let found: readonly string[] = none;
  for (let at = 0; at < lists.length; at++) {
    const roles = lists[at];
    if (roles === undefined || roles === found || roles.length === 0) continue;
    if (found.length === 0) found = roles;
    else if (!holdsAll(found, roles)) found = [...new Set([...found, ...roles])].sort();
  }
  return found;
}

/** Lists that are looked through. */
const few = 8;

/** The scopes of a chain mostly find the same, or the nearest finds most: then nothing is to be merged and sorted. */
const holdsAll = (left: readonly string[], right: readonly string[]): boolean =>
  left.length <= few && left.every((role, at) => at === 0 || role > (left[at - 1] ?? "")) && right.every((role) => left.includes(role));

const none: readonly string[] = Object.freeze([]);
