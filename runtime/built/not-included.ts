/** The body of all replacements for parts that a module does not need: throws, because any result would be made up. */
import { invariant } from "../cel/error.ts";

/** Throws an internal error: `authz build` leaves out only what nothing can call. */
export function notIncluded(): never {
  invariant(false, "the module lacks a part that something in it asks");
}
