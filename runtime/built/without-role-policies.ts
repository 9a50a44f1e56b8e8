/** Stands in a built module for the index of role policies, and for asking them, where there are none. */
import { invariant } from "../cel/error.ts";
import type { narrow as narrows } from "../decide/narrowing.ts";
import type { indexRoles as index } from "../decide/role-index.ts";

function none(): never {
  invariant(false, "who builds a module puts role policies in it wherever there is one");
}

const nobody = (): undefined => undefined;

export const narrow: typeof narrows = none;
export const indexRoles: typeof index = (units) => (units.length > 0 ? none() : { units, at: nobody, parentsIn: nobody });
