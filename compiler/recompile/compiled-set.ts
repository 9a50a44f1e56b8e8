/** A compiled set with everything that recompiling a change of it needs. */
import type { VersionedMap } from "../../runtime/versioned-map.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { Module } from "../emit/module.ts";
import type { EmitOptions } from "../emit/unit.ts";
import type { LinkedRoles } from "../link/link-document.ts";
import type { PolicySet } from "../link/policy-set.ts";
import type { PolicyDocument } from "../policy/document.ts";
import type { Source } from "../source.ts";
import type { UnitPolicies } from "../table/lower.ts";

/** A set that compiles, with indexes into it. */
export interface CompiledSet {
  /** In the order in which they were given. */
  readonly sources: readonly Source[];
  /** How it was emitted. */
  readonly options: EmitOptions;
  /** The diagnostics of the set, in order, without those that depend on schemas. None is an error. */
  readonly warnings: readonly Diagnostic[];
  readonly policySet: PolicySet;
  readonly units: readonly UnitPolicies[];
  /** One for each unit, in the same order. */
  readonly modules: readonly Module[];
  /** Undefined if two files have one path: then a change cannot be assigned to one of them. */
  readonly indexes: SetIndexes | undefined;
  /** The linked derived roles of every imported set, by its key. The policies of a unit must share the same objects. */
  readonly derivedRoles: VersionedMap<LinkedRoles>;
}

/** Indexes that find what a change affects. Successive versions share everything that did not change. */
export interface SetIndexes {
  /** The files by their paths. */
  readonly sources: VersionedMap<Source>;
  /** The enabled policies and sets, by key. */
  readonly documents: VersionedMap<PolicyDocument>;
  /** By the key of a policy or set, whether it exists or not: the keys of its importers and of the policies below it. */
  readonly dependents: VersionedMap<readonly string[]>;
  /** How many policies of each scope have which scope permissions. */
  readonly permissions: VersionedMap<ScopeCounts>;
}

/** How many policies of a scope override their parents, and how many require their consent. */
export interface ScopeCounts {
  readonly overriding: number;
  readonly requiring: number;
}
