/** The targets of `authz build`, and the manifest of a built module. */

/** The targets. A module for Node parses requests faster, the others are smaller; all decide the same. */
export const moduleTargets = ["node", "browser", "worker"] as const;

/** Where a module runs. */
export type ModuleTarget = (typeof moduleTargets)[number];

/** The manifest of a built module. */
export interface BuiltManifest {
  readonly target: ModuleTarget;
  readonly compilerVersion: string;
  /** The version of authz. */
  readonly version: string;
  /** The digest of the policy set, the same as in a bundle for servers. */
  readonly policySet: string;
  /** Whether `strictEvaluation`, `evaluationErrors` and `effectivePolicies` are supported. */
  readonly interpreter: boolean;
  /** How attributes are validated unless the caller sets another enforcement. */
  readonly schemas: "none" | "warn" | "reject";
  /** The keys of the deciding policies. */
  readonly policies: readonly string[];
  /** The kinds that the module is limited to by `--kinds`; absent when it is not. */
  readonly kinds?: readonly string[];
}
