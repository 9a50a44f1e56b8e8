/** A unit in memory: what is known of it without running it, and its parts once somebody asks. */
import type { BundledScope } from "../bundle.ts";
import type { Patterns } from "./patterns.ts";
import type { PolicyType } from "./policy-name.ts";
import type { Price } from "./price.ts";
import type { UnitTrees } from "./trees.ts";
import type { Matched, PricedUnit, ScopePart } from "./unit.ts";

/** A unit of a bundle, loaded when it is first asked. */
export interface LoadedUnit {
  readonly id: string;
  readonly type: PolicyType;
  /** Sanitised. */
  readonly name: string;
  readonly writtenName: string;
  readonly version: string;
  /** Digest over everything the unit is made of: equal digests behave equally. */
  readonly digest: string;
  readonly shape: string;
  readonly scopes: readonly BundledScope[];
  readonly program: () => PricedUnit;
  readonly trees: () => UnitTrees;
  /** Its policy in a scope. */
  readonly policyIn: (scope: string) => Policy | undefined;
}

/** One policy of a unit, ready to be asked. */
export interface Policy {
  readonly unit: LoadedUnit;
  /** Which of the unit's policies it is. */
  readonly index: number;
  readonly says: BundledScope;
  readonly terms: Terms;
}

/** What a policy is but for its names: policies that say the same share it, so that what many requests read lies close together. */
export interface Terms {
  /** Its program, evaluated when it is first asked. */
  readonly part: () => ScopePart;
  readonly patterns: Patterns;
  /** What asking about one action costs. */
  readonly price: Price;
  /** Whether its program may look at the derived roles of the request. */
  readonly readsDerivedRoles: boolean;
  /** Whether its program may tell the caller something. */
  readonly tells: boolean;
  /** Whether one of its rows is about an action and one of these patterns. */
  readonly considers: (action: string, matched: Matched) => boolean;
}
