/** A compiled set with everything that recompiling a small change of it needs. */
import type { Diagnostic } from "./diagnostic.ts";
import type { Module } from "./emit/module.ts";
import type { EmitOptions } from "./emit/unit.ts";
import type { PolicySet } from "./link/policy-set.ts";
import type { Source } from "./source.ts";
import type { UnitPolicies } from "./table/lower.ts";

/** A set that compiles, and where everything stands in it. */
export interface Whole {
  /** As they were given. */
  readonly sources: readonly Source[];
  /** How it was emitted. */
  readonly options: EmitOptions;
  /** What was said of them, in order, but for what depends on their schemas. */
  readonly warnings: readonly Diagnostic[];
  /** One of these is an error: the set is not to be packed. */
  readonly hasErrors: boolean;
  readonly policySet: PolicySet;
  readonly units: readonly UnitPolicies[];
  readonly modules: readonly Module[];
  readonly places: Places;
}

/** By policy key. It stays as it is while no policy's outline changes. */
export interface Places {
  /** Which source defines it. */
  readonly source: ReadonlyMap<string, number>;
  /** Where it stands in its list of the policy set. */
  readonly policy: ReadonlyMap<string, number>;
  /** Which unit it belongs to. */
  readonly unit: ReadonlyMap<string, number>;
  /** Who is made from it: importers, and policies under it that take its schemas. */
  readonly dependents: ReadonlyMap<string, readonly string[]>;
}
