/** Merges the derived roles of all visited scopes. */

/** Returns the roles sorted and without duplicates. */
export function activeRolesOf(lists: readonly (readonly string[])[] | undefined): readonly string[] {
  if (lists === undefined) return none;
  let found: readonly string[] = none;
  for (let at = 0; at < lists.length; at++) {
    const roles = lists[at];
    if (roles === undefined || roles === found || roles.length === 0) continue;
    found = found.length === 0 ? roles : together(found, roles);
  }
  return found;
}

/** Two lists and their union. */
interface Pair {
  readonly left: readonly string[];
  readonly right: readonly string[];
  readonly all: readonly string[];
}

/** The last unions: the same lists recur in many requests. */
let recent: readonly Pair[] = [];
const maxPairs = 8;

function together(left: readonly string[], right: readonly string[]): readonly string[] {
  for (let at = 0; at < recent.length; at++) {
    const pair = recent[at];
    if (pair?.left === left && pair.right === right) return pair.all;
  }
  const all = merged(left, right);
  // A list that may still change is not cached.
  if (Object.isFrozen(left) && Object.isFrozen(right))
    recent = [{ left, right, all: Object.freeze(all) }, ...recent.slice(0, maxPairs - 1)];
  return all;
}

/** Merges two sorted lists; if one turns out not to be sorted, sorts the result. */
function merged(left: readonly string[], right: readonly string[]): string[] {
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
