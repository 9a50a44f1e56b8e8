/** Replaces the routes through principal policies in built modules without such policies. */
import type { openPrincipalRoute as open } from "../decide/principal-route.ts";
import { notIncluded } from "./not-included.ts";

export const openPrincipalRoute: typeof open = notIncluded;
