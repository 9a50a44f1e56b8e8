/** A loaded unit: its manifest data, and its program and trees, which are loaded on demand. */
import type { BundledScope } from "../bundle.ts";
import type { Patterns } from "./patterns.ts";
import type { PolicyType } from "./policy-name.ts";
import type { Price } from "./price.ts";
import type { UnitTrees } from "./trees.ts";
import type { Matched, PricedUnit, ScopePart } from "./unit.ts";

/** A unit of a bundle; its program is evaluated on first use. */
export interface LoadedUnit {
  readonly id: string;
  readonly type: PolicyType;
  /** Sanitised. */
  readonly name: string;
  readonly writtenName: string;
  readonly version: string;
  /** Digest over everything the unit consists of. Units with equal digests behave the same. */
  readonly digest: string;
  readonly shape: string;
  readonly scopes: readonly BundledScope[];
  readonly program: () => PricedUnit;
  readonly trees: () => UnitTrees;
  /** The unit's policy in a scope. */
  readonly policyIn: (scope: string) => Policy | undefined;
}

/** One policy of a unit, ready to be evaluated. */
export interface Policy {
  readonly unit: LoadedUnit;
  /** Its index among the unit's policies. */
  readonly index: number;
  /** Its data in the bundle. */
  readonly bundled: BundledScope;
  readonly content: PolicyContent;
}

/**
 * Everything about a policy except its names. Policies with the same rows share it, so that data read by many
 * requests is close together in memory.
 */
export interface PolicyContent {
  /** Its program, evaluated on first use. */
  readonly part: () => ScopePart;
  readonly patterns: Patterns;
  /** The work of evaluating it for one action, without conditions. */
  readonly price: Price;
  /** Whether its program may read the derived roles of the request. */
  readonly readsDerivedRoles: boolean;
  /** Whether its program may produce outputs. */
  readonly hasOutputs: boolean;
  /** Whether one of its rows applies to an action and one of the matching patterns. */
  readonly applies: (action: string, matched: Matched) => boolean;
}
