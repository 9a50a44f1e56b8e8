/** What `import { load } from "authz"` is, for those who program against it: the declarations that are shipped. */
import type { AnyPolicies, Door, DoorSettings, PolicyTypes } from "../../runtime/door/types.ts";

export type {
  ActionOf,
  ActionResult,
  ActionResults,
  AnyPolicies,
  AuxData,
  CheckRequest,
  CheckResult,
  CheckSettings,
  DecisionEvent,
  Door,
  DoorSettings,
  KindOf,
  PolicyTypes,
  Principal,
  Resource,
} from "../../runtime/door/types.ts";

/** A folder of policies or a bundle file, by its path or as a `file:` URL; the bytes of a bundle file; or what such a file exports as `default`. */
export type PolicySource = string | Uint8Array | object;

/** How policies are loaded. */
export interface LoadOptions extends Omit<DoorSettings, "schemas"> {
  /** How many steps the loops of one condition may take together, 10,000 to 100,000,000: a condition that takes more fails. */
  readonly maxEvaluationSteps?: number | undefined;
  /** Files with public keys (PEM): only a bundle that one of them signed is loaded. */
  readonly publicKey?: string | readonly string[] | undefined;
  /** Run the policies in a locked realm of their own, as servers do: for bundles of others. Slower, and settings are those of `load`. */
  readonly sandbox?: boolean | undefined;
  /** Hold attributes against the schemas of the policies: `reject` denies what does not fit. Unless said otherwise, nothing is. */
  readonly schemas?: "none" | "warn" | "reject" | undefined;
}

/** Policies that were loaded. */
export interface Loaded<P extends PolicyTypes = AnyPolicies> extends Door<P> {
  /** What was loaded. */
  readonly manifest: { readonly policySet: string; readonly compilerVersion: string; readonly policies: readonly string[] };
}

/**
 * Loads a folder of policies, a bundle file, or what a bundle exports; rejects with an error that says what is wrong with them.
 *
 *     const { isAllowed } = await load("policies");
 *     isAllowed({ id: "ann", roles: ["employee"] }, { kind: "expense", id: "1" }, "view");
 */
export declare const load: <P extends PolicyTypes = AnyPolicies>(source: PolicySource, options?: LoadOptions) => Promise<Loaded<P>>;
