/** The derived roles of all scopes that were visited, as one list. */

/** Sorted, and each once. */
export function activeRolesOf(lists: readonly (readonly string[])[] | undefined): readonly string[] {
  if (lists === undefined) return none;
  let found: readonly string[] = none;
  for (let at = 0; at < lists.length; at++) {
    const roles = lists[at];
    if (roles === undefined || roles === found || roles.length === 0) continue;
    found = found.length === 0 ? roles : merged(found, roles);
  }
  return found;
}

/** Of two lists in order; where one is in none, all are sorted. */
function merged(left: readonly string[], right: readonly string[]): readonly string[] {
  const all: string[] = [];
  let at = 0;
  for (const role of right) {
    for (; (left[at] ?? role) < role; at++) all.push(left[at] ?? role);
    if (left[at] === role) at++;
    all.push(role);
  }
  for (; at < left.length; at++) all.push(left[at] ?? "");
  return all.every((role, place) => place === 0 || role > (all[place - 1] ?? "")) ? all : [...new Set(all)].sort();
}

const none: readonly string[] = Object.freeze([]);
