/** Replaces role policies and their index in built modules without such policies. */
import type { findRestrictionDenial as original } from "../decide/role-restrictions.ts";
import type { indexRoles as index } from "../decide/role-index.ts";
import { notIncluded } from "./not-included.ts";

const nobody = (): undefined => undefined;

export const findRestrictionDenial: typeof original = notIncluded;
export const indexRoles: typeof index = (units) => (units.length > 0 ? notIncluded() : { units, at: nobody, parentsIn: nobody });
