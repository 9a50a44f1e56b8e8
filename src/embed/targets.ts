/** What a bundle can be built for, and what is known of a module that was built. */

/** Modules that hold the policies as code: those for Node read a request sooner, the others in fewer bytes, and all decide the same. */
export const moduleTargets = ["node", "browser", "worker"] as const;

/** Where a module runs. */
export type ModuleTarget = (typeof moduleTargets)[number];

/** What a built module says of itself. */
export interface BuiltManifest {
  readonly target: ModuleTarget;
  readonly compilerVersion: string;
  /** Of authz. */
  readonly version: string;
  /** The digest of the policy set, the same as in a bundle for servers. */
  readonly policySet: string;
  /** Whether `strictEvaluation`, `evaluationErrors` and `effectivePolicies` can be asked for. */
  readonly interpreter: boolean;
  /** How attributes are held against schemas unless a caller says otherwise. */
  readonly schemas: "none" | "warn" | "reject";
  /** Keys of the policies that decide. */
  readonly policies: readonly string[];
  /** What was left out by `--kinds`; absent when nothing was. */
  readonly kinds?: readonly string[];
}
