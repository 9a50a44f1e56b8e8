/** The public types of `import { load } from "authz"`: the declarations that are shipped. */
import type {
  ActionOf,
  ActionResults,
  AnyPolicies,
  CheckRequest,
  CheckResult,
  CheckSettings,
  Door,
  DoorSettings,
  KindOf,
  PolicyTypes,
} from "../../runtime/door/types.ts";

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

/** A directory of policies or a bundle file, as a path or `file:` URL; the bytes of a bundle file; or the default export of one. */
export type PolicySource = string | Uint8Array | object;

/** Options of `load`. */
export interface LoadOptions extends Omit<DoorSettings, "schemas"> {
  /** The limit of steps for the loops of one condition together, from 10,000 to 100,000,000. A condition that exceeds it fails. */
  readonly maxEvaluationSteps?: number | undefined;
  /** Paths of files with public keys (PEM). If given, only a bundle that is signed with one of these keys is loaded. */
  readonly publicKey?: string | readonly string[] | undefined;
  /**
   * Run the policies in a hardened compartment of their own, as servers do; meant for bundles of untrusted authors. It is slower, and
   * its settings cannot be changed per call.
   */
  readonly sandbox?: boolean | undefined;
  /** Validate attributes by the schemas of the policies; `reject` denies requests that do not fit. Default: `none`. */
  readonly schemas?: "none" | "warn" | "reject" | undefined;
}

/** A decision with the reasons for it. */
export interface Explanation<
  P extends PolicyTypes = AnyPolicies,
  K extends KindOf<P> = KindOf<P>,
  A extends readonly ActionOf<P, K>[] = readonly ActionOf<P, K>[],
> extends CheckResult<P, K, A> {
  /**
   * By action: a line for each rule that was considered, with its place and outcome, and, if nothing allows the action, what the request
   * or the policies lack. For people: the wording may change.
   */
  readonly reasons: ActionResults<A, readonly string[]>;
}

/** Loaded policies. */
export interface Loaded<P extends PolicyTypes = AnyPolicies> extends Door<P> {
  /** What was loaded. */
  readonly manifest: { readonly policySet: string; readonly compilerVersion: string; readonly policies: readonly string[] };
  /**
   * Decides as `check` does, and says why; `onDecision` is not called. It is slow, and meant for developers: reasons contain expressions
   * of the policies. Throws an error if the policies were loaded from a bundle or into a sandbox.
   *
   *     const { reasons } = explain({ principal, resource, actions: ["approve"] });
   *     console.log(reasons.approve.join("\n"));
   */
  readonly explain: <K extends KindOf<P>, const A extends readonly ActionOf<P, K>[]>(
    request: CheckRequest<P, K, A>,
    options?: CheckSettings,
  ) => Explanation<P, K, A>;
}

/**
 * Loads a directory of policies, a bundle file, or the default export of one. Rejects with an error that says what is wrong with them.
 *
 *     const { isAllowed } = await load("policies");
 *     isAllowed({ id: "ann", roles: ["employee"] }, { kind: "expense", id: "1" }, "view");
 */
export declare const load: <P extends PolicyTypes = AnyPolicies>(source: PolicySource, options?: LoadOptions) => Promise<Loaded<P>>;
