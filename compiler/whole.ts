/** A compiled set with everything that recompiling a small change of it needs. */
import type { Diagnostic } from "./diagnostic.ts";
import type { Module } from "./emit/module.ts";
import type { EmitOptions } from "./emit/unit.ts";
import type { PolicySet } from "./link/policy-set.ts";
import type { Source } from "./source.ts";
import type { UnitPolicies } from "./table/lower.ts";

/** A set that compiled, and the index of each policy. */
export interface Whole {
  /** In the order in which they were given. */
  readonly sources: readonly Source[];
  /** The options that it was emitted with. */
  readonly options: EmitOptions;
  /** The diagnostics, sorted, without those that depend on schemas. */
  readonly warnings: readonly Diagnostic[];
  /** Whether one of `warnings` is an error: then the set must not be packed. */
  readonly hasErrors: boolean;
  readonly policySet: PolicySet;
  readonly units: readonly UnitPolicies[];
  readonly modules: readonly Module[];
  readonly places: Places;
}

/** Indexes by policy key. They stay valid while no policy's outline changes. */
export interface Places {
  /** The index of its source. */
  readonly source: ReadonlyMap<string, number>;
  /** Its index in its list of the policy set. */
  readonly policy: ReadonlyMap<string, number>;
  /** The index of its unit. */
  readonly unit: ReadonlyMap<string, number>;
  /** The keys of the policies that depend on it: importers, and policies in scopes below that inherit its schemas. */
  readonly dependents: ReadonlyMap<string, readonly string[]>;
}
