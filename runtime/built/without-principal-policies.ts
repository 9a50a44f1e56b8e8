/** Stands in a built module for the way through principal policies, where there are none. */
import { invariant } from "../cel/error.ts";
import type { openPrincipalRoute as open } from "../decide/principal-route.ts";

function none(): never {
  invariant(false, "who builds a module puts principal policies in it wherever there is one");
}

export const openPrincipalRoute: typeof open = none;
