/** Whether a principal holds one of some roles: asked several times for each scope whose derived roles are found out. */
import { work } from "../cel/work.ts";

/** Up to here, looking through the roles of a principal is too little work to be counted. */
const usualRoles = 64;
/** Work for one role that is looked up among many. */
const priceOfLookingUp = 4;

/** `more` knows the principal's roles and those that they narrow; absent where the principal's own, which are few, are all. */
export function holdsOne(roles: readonly string[], own: readonly string[], more: Pick<ReadonlySet<string>, "has"> | undefined): boolean {
  const looked = roles.length * (more === undefined ? own.length / 2 : priceOfLookingUp);
  if (looked > usualRoles) work(Math.ceil(looked));
  for (let at = 0; at < roles.length; at++) {
    const role = roles[at] ?? "";
    // Most principals have one role, which is compared sooner than `includes` is called.
    if (more === undefined ? role === own[0] || (own.length > 1 && own.includes(role)) : more.has(role)) return true;
  }
  return false;
}
