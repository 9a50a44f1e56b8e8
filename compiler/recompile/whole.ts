/** A compiled set with everything that recompiling a change of it needs. */
import type { VersionedMap } from "../../runtime/versioned-map.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { Module } from "../emit/module.ts";
import type { EmitOptions } from "../emit/unit.ts";
import type { LinkedRoles } from "../link/one.ts";
import type { PolicySet } from "../link/policy-set.ts";
import type { PolicyDocument } from "../policy/document.ts";
import type { Source } from "../source.ts";
import type { UnitPolicies } from "../table/lower.ts";

/** A set that compiles, and what stands where in it. */
export interface Whole {
  /** As they were given. */
  readonly sources: readonly Source[];
  /** How it was emitted. */
  readonly options: EmitOptions;
  /** What was said of them, in order, but for what depends on their schemas. None is an error. */
  readonly warnings: readonly Diagnostic[];
  readonly policySet: PolicySet;
  readonly units: readonly UnitPolicies[];
  /** One for each unit. */
  readonly modules: readonly Module[];
  /** Undefined where two files have one path: then nothing tells what of a change is which of them. */
  readonly places: Places | undefined;
  /** By the key of the set: the derived roles of each that some policy imports. Policies of one unit must hold the very same ones. */
  readonly derivedRoles: VersionedMap<LinkedRoles>;
}

/** Where to find what a change touches. The next one shares all but what has changed. */
export interface Places {
  /** The files by their paths. */
  readonly sources: VersionedMap<Source>;
  /** The policies that count, by key. */
  readonly documents: VersionedMap<PolicyDocument>;
  /** By a key, of a policy that is there or is not: who is made from it, importers and policies under it. */
  readonly dependents: VersionedMap<readonly string[]>;
  /** By scope: how many of its policies say what of their parents. */
  readonly permissions: VersionedMap<ScopeCounts>;
}

/** How many policies of a scope override their parents, and how many need their consent. */
export interface ScopeCounts {
  readonly overriding: number;
  readonly requiring: number;
}
