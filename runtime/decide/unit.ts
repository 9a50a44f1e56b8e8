/** What a loaded unit is: the functions that its generated program answers with. */
import type { RowEffect } from "./effect.ts";
import type { Prices } from "./prices.ts";
import type { Query } from "./query.ts";

/** The rows of one policy name and version. */
export interface Unit {
  /** One part for each scope that has a policy. */
  readonly scopes: readonly (readonly [scope: string, part: ScopePart])[];
  /** What its parts cost, where somebody has read its program. */
  readonly prices?: Prices | undefined;
}

/** A unit whose prices are known. */
export interface PricedUnit extends Unit {
  readonly prices: Prices;
  /** As a listener of a query it is only these prices: said, because what is not there would be looked for in a prototype. */
  readonly hear: undefined;
  readonly judge: undefined;
  readonly heldRoles: undefined;
}

/**
 * The rows of one policy: one name, version and scope. Policies that say the same have the same functions, which count what they
 * ask from 0 on: they are told which of the unit's questions is the policy's first.
 */
export interface ScopePart {
  /** The derived roles that are active, sorted; always none in principal and role policies. */
  readonly derivedRoles: (query: Query, first: number) => readonly string[];
  /**
   * What the rows say about an action, given which of the policy's patterns match (roles of a resource policy, kinds of the
   * others): a satisfied DENY beats any ALLOW, and ends the walk. A role policy says DENY, or NONE where the role may.
   */
  readonly decide: (query: Query, action: string, matched: Matched, first: number) => RowEffect;
  /** The index of its first question. */
  readonly first: number;
}

/** Which of a policy's patterns match: bit i is pattern i. Above 31 patterns: words of 31 bits, the first patterns first. */
export type Matched = number | readonly number[];
