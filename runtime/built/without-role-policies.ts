/** Replaces role policies and their index in built modules without such policies. */
import type { narrow as narrows } from "../decide/narrowing.ts";
import type { indexRoles as index } from "../decide/role-index.ts";
import { nobodyAsks } from "./nobody-asks.ts";

const nobody = (): undefined => undefined;

export const narrow: typeof narrows = nobodyAsks;
export const indexRoles: typeof index = (units) => (units.length > 0 ? nobodyAsks() : { units, at: nobody, parentsIn: nobody });
