/** What a part that a module was built without does when something asks it all the same: it throws, because an answer would be made up. */
import { invariant } from "../cel/error.ts";

/** Throws: `authz build` leaves out only what nothing can ask. */
export function nobodyAsks(): never {
  invariant(false, "the module lacks a part that something in it asks");
}
