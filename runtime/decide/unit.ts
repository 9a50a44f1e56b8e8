/** The interface of a loaded unit: the functions of its generated program. */
import type { RowEffect } from "./effect.ts";
import type { Prices } from "./prices.ts";
import type { Query } from "./query.ts";

/** The program of one policy name and version. */
export interface Unit {
  /** One part for each scope that has a policy. */
  readonly scopes: readonly (readonly [scope: string, part: ScopePart])[];
  /** The costs of its parts, if its text was measured. */
  readonly prices?: Prices | undefined;
}

/** A unit with known prices; it also serves as the environment of a query. */
export interface PricedUnit extends Unit {
  readonly prices: Prices;
  /** Explicitly undefined, because an absent property would be looked up in the prototype. */
  readonly onOutput: undefined;
  readonly holdsStrictly: undefined;
  readonly heldRoles: undefined;
}

/**
 * The rows of one policy: one name, version and scope. Policies with the same rows share these functions. They number
 * their questions from 0, and receive the index of the policy's first question in its unit as `first`.
 */
export interface ScopePart {
  /** Returns the active derived roles, sorted; always empty in principal and role policies. */
  readonly derivedRoles: (query: Query, first: number) => readonly string[];
  /**
   * Returns the effect of the rows for an action. `matched` are the policy's patterns that match (roles of a resource
   * policy, kinds of the others). A satisfied DENY beats any ALLOW and ends the walk. A role policy returns DENY, or
   * NONE if the role may do it.
   */
  readonly decide: (query: Query, action: string, matched: Matched, first: number) => RowEffect;
  /** The index of the policy's first question. */
  readonly first: number;
}

/**
 * The matching patterns of a policy: bit i is pattern i. For more than 31 patterns, a list of 31-bit words, the first
 * patterns first.
 */
export type Matched = number | readonly number[];
