/**
 * The TypeScript types of the embedded API. With the `Policies` type that `authz types` generates, kinds, actions and
 * attributes are exact.
 */
import type { Effect, EvaluationError, Output } from "../decide/decision.ts";
import type { SchemaEnforcement } from "../decide/input.ts";
import type { ValidationError } from "../decide/validation-error.ts";

/** What is known about policies at compile time. */
export interface PolicyTypes {
  readonly kinds: {
    readonly [kind: string]: { readonly actions: string; readonly attr: unknown; readonly principalAttr: unknown };
  };
  readonly roles: string;
  readonly derivedRoles: string;
  readonly scopes: string;
  readonly policyVersions: string;
}

/** Nothing is known: any kind, action and attributes. */
export interface AnyPolicies {
  readonly kinds: { readonly [kind: string]: { readonly actions: string; readonly attr: object; readonly principalAttr: object } };
  readonly roles: string;
  readonly derivedRoles: string;
  readonly scopes: string;
  readonly policyVersions: string;
}

/** A resource kind. */
export type KindOf<P extends PolicyTypes> = string & keyof P["kinds"];

/** An action of a resource kind. */
export type ActionOf<P extends PolicyTypes, K extends KindOf<P>> = P["kinds"][K]["actions"];

type Attributes<A> = unknown extends A
  ? { readonly attr?: object | undefined }
  : Partial<A> extends A
    ? { readonly attr?: A | undefined }
    : { readonly attr: A };

interface Place<P extends PolicyTypes> {
  readonly policyVersion?: P["policyVersions"] | undefined;
  readonly scope?: P["scopes"] | undefined;
}

/** The principal: who performs the actions. */
export type Principal<P extends PolicyTypes = AnyPolicies, K extends KindOf<P> = KindOf<P>> = {
  readonly id: string;
  readonly roles: readonly P["roles"][];
} & Place<P> &
  Attributes<P["kinds"][K]["principalAttr"]>;

/** The resource that the actions are performed on. */
export type Resource<P extends PolicyTypes = AnyPolicies, K extends KindOf<P> = KindOf<P>> = {
  readonly kind: K;
  readonly id: string;
} & Place<P> &
  Attributes<P["kinds"][K]["attr"]>;

/**
 * Claims of verified tokens, as JWT libraries return them or as conditions read them: of one token, or of several by
 * name.
 */
export interface AuxData {
  readonly jwt?: object | undefined;
  readonly jwts?: { readonly [name: string]: { readonly claims: object } } | undefined;
}

/** A request: which of these actions may the principal perform on the resource? */
export interface CheckRequest<
  P extends PolicyTypes = AnyPolicies,
  K extends KindOf<P> = KindOf<P>,
  A extends readonly ActionOf<P, K>[] = readonly ActionOf<P, K>[],
> {
  /** Returned with the result. */
  readonly requestId?: string | undefined;
  readonly principal: Principal<P, K>;
  readonly resource: Resource<P, K>;
  /** At least one, without duplicates. */
  readonly actions: A;
  readonly auxData?: AuxData | undefined;
}

/** The decision on one action, and the policy that made it. */
export interface ActionResult {
  readonly effect: Effect;
  /** The deciding policy, such as `resource.expense.vdefault`, or `NO_MATCH`. */
  readonly matchedPolicy: string;
  readonly matchedScope: string;
}

/**
 * Decisions by action. If the type of `actions` lists them one by one, each has a decision; otherwise each may be
 * absent.
 */
export type ActionResults<A extends readonly string[], R = ActionResult> = number extends A["length"]
  ? { readonly [name in A[number]]?: R }
  : { readonly [name in A[number]]: R };

/** The result of a check. */
export interface CheckResult<
  P extends PolicyTypes = AnyPolicies,
  K extends KindOf<P> = KindOf<P>,
  A extends readonly ActionOf<P, K>[] = readonly ActionOf<P, K>[],
> {
  readonly requestId: string;
  readonly resourceId: string;
  /** By action; without prototype, so an action that was not requested is undefined. */
  readonly actions: ActionResults<A>;
  readonly effectiveDerivedRoles: readonly string[];
  /** Outputs of rules. */
  readonly outputs: readonly Output[];
  readonly validationErrors: readonly ValidationError[];
  /** Expressions that failed; empty unless `evaluationErrors` is set. */
  readonly evaluationErrors: readonly EvaluationError[];
  /** Policies that took part, with their source attributes; empty unless `effectivePolicies` is set. */
  readonly effectivePolicies: { readonly [key: string]: object };
}

/**
 * Options of a check. What is not set is as configured when the policies were loaded, or else as in a server's
 * default configuration.
 */
export interface CheckSettings {
  /**
   * The instant that `now()` returns: a Date or milliseconds since 1970, printed in UTC. Unset, the clock is read,
   * and printed in its time zone.
   */
  readonly now?: Date | number | undefined;
  /** The values of `globals` (`G`). JSON; whole numbers are ints, as in a server's configuration. */
  readonly globals?: object | undefined;
  readonly defaultPolicyVersion?: string | undefined;
  readonly defaultScope?: string | undefined;
  readonly lenientScopeSearch?: boolean | undefined;
  /** Deny an action if a condition fails with an error. */
  readonly strictEvaluation?: boolean | undefined;
  /** Return every expression that failed. */
  readonly evaluationErrors?: boolean | undefined;
  /** Return every policy that took part. */
  readonly effectivePolicies?: boolean | undefined;
  /** How attributes are validated against schemas. */
  readonly schemas?: SchemaEnforcement | undefined;
}

/** One decision, passed to the hook `onDecision`. */
export interface DecisionEvent {
  readonly request: CheckRequest;
  readonly result: CheckResult;
  /** The instant that the policies saw, in milliseconds since 1970. */
  readonly now: number;
  /** The digest of the policy set. */
  readonly policySet: string;
}

/** Settings for all checks. */
export interface DoorSettings extends CheckSettings {
  /** Called with each decision after it was returned. It is not awaited, and its errors do not change the result. */
  readonly onDecision?: ((event: DecisionEvent) => unknown) | undefined;
  /** Called with an error that `onDecision` threw; by default it is logged to the console. */
  readonly onDecisionFailed?: ((error: unknown) => unknown) | undefined;
}

/** The embedded API. */
export interface Door<P extends PolicyTypes = AnyPolicies> {
  /**
   * Decides synchronously. Throws an error named `RequestError`, with everything that is wrong, if the request is
   * invalid.
   */
  readonly check: <K extends KindOf<P>, const A extends readonly ActionOf<P, K>[]>(
    request: CheckRequest<P, K, A>,
    options?: CheckSettings,
  ) => CheckResult<P, K, A>;
  /** Decides a single action: returns whether it is allowed. */
  readonly isAllowed: <K extends KindOf<P>>(
    principal: Principal<P, K>,
    resource: Resource<P, K>,
    action: ActionOf<P, K>,
    options?: CheckSettings & { readonly auxData?: AuxData | undefined },
  ) => boolean;
}
