/**
 * Tests whether a principal holds one of some roles. Called several times for each scope whose derived roles are
 * computed.
 */
import { work } from "../cel/work.ts";

/** Up to this many comparisons the work is too little to be counted. */
const usualRoles = 64;
/** Work of looking up one role in a set. */
const priceOfLookingUp = 4;

/**
 * Whether one of `roles` is among the principal's. `more` is the set of all roles held, parents included; absent if
 * the principal's own few roles are all.
 */
export function holdsOne(roles: readonly string[], own: readonly string[], more: Pick<ReadonlySet<string>, "has"> | undefined): boolean {
  const looked = roles.length * (more === undefined ? own.length / 2 : priceOfLookingUp);
  if (looked > usualRoles) work(Math.ceil(looked));
  for (let at = 0; at < roles.length; at++) {
    const role = roles[at] ?? "";
    // Most principals have one role: comparing it is faster than calling `includes`.
    if (more === undefined ? role === own[0] || (own.length > 1 && own.includes(role)) : more.has(role)) return true;
  }
  return false;
}
