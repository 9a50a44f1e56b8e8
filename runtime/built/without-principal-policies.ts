/** Stands in a built module for the way through principal policies, where there are none. */
import type { openPrincipalRoute as open } from "../decide/principal-route.ts";
import { nobodyAsks } from "./nobody-asks.ts";

export const openPrincipalRoute: typeof open = nobodyAsks;
