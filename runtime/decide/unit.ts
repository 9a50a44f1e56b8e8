/** What a loaded unit is: the functions that its generated program answers with. */
import type { RowEffect } from "./effect.ts";
import type { Query } from "./query.ts";

/** The rows of one policy name and version. */
export interface Unit {
  /** One part for each scope that has a policy. */
  readonly scopes: readonly (readonly [scope: string, part: ScopePart])[];
}

/** The rows of one policy: one name, version and scope. */
export interface ScopePart {
  /** The derived roles that are active, sorted. */
  readonly derivedRoles: (query: Query) => readonly string[];
  /** What the rows say about an action and a role: a satisfied DENY beats any ALLOW. */
  readonly decide: (query: Query, action: string, role: string) => RowEffect;
}
