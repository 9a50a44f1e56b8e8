/** What programs that embed the policies say and hear; a `Policies` that `authz types` writes makes kinds, actions and attributes exact. */
import type { Effect, EvaluationError, Output } from "../decide/decision.ts";
import type { SchemaEnforcement } from "../decide/input.ts";
import type { ValidationError } from "../decide/validation-error.ts";

/** What is known of policies when a program is compiled. */
export interface PolicyTypes {
  readonly kinds: {
    readonly [kind: string]: { readonly actions: string; readonly attr: unknown; readonly principalAttr: unknown };
  };
  readonly roles: string;
  readonly derivedRoles: string;
  readonly scopes: string;
  readonly policyVersions: string;
}

/** Nothing is known: any kind, any action, any attributes. */
export interface AnyPolicies {
  readonly kinds: { readonly [kind: string]: { readonly actions: string; readonly attr: object; readonly principalAttr: object } };
  readonly roles: string;
  readonly derivedRoles: string;
  readonly scopes: string;
  readonly policyVersions: string;
}

/** A kind of resource. */
export type KindOf<P extends PolicyTypes> = string & keyof P["kinds"];

/** An action of a kind. */
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

/** Who asks. */
export type Principal<P extends PolicyTypes = AnyPolicies, K extends KindOf<P> = KindOf<P>> = {
  readonly id: string;
  readonly roles: readonly P["roles"][];
} & Place<P> &
  Attributes<P["kinds"][K]["principalAttr"]>;

/** What it is about. */
export type Resource<P extends PolicyTypes = AnyPolicies, K extends KindOf<P> = KindOf<P>> = {
  readonly kind: K;
  readonly id: string;
} & Place<P> &
  Attributes<P["kinds"][K]["attr"]>;

/** Claims of tokens that somebody has verified, as libraries give them or as conditions read them: of one, or of several by name. */
export interface AuxData {
  readonly jwt?: object | undefined;
  readonly jwts?: { readonly [name: string]: { readonly claims: object } } | undefined;
}

/** One question: which of these actions may the principal do with the resource? */
export interface CheckRequest<
  P extends PolicyTypes = AnyPolicies,
  K extends KindOf<P> = KindOf<P>,
  A extends readonly ActionOf<P, K>[] = readonly ActionOf<P, K>[],
> {
  /** Comes back with the answer. */
  readonly requestId?: string | undefined;
  readonly principal: Principal<P, K>;
  readonly resource: Resource<P, K>;
  /** At least one, none twice. */
  readonly actions: A;
  readonly auxData?: AuxData | undefined;
}

/** The answer about one action, and who decided. */
export interface ActionResult {
  readonly effect: Effect;
  /** The policy that decided, such as `resource.expense.vdefault`, or `NO_MATCH`. */
  readonly matchedPolicy: string;
  readonly matchedScope: string;
}

/** The answers about actions: about each, where it was written in the request which; of a list that was made elsewhere perhaps. */
export type ActionResults<A extends readonly string[]> = number extends A["length"]
  ? { readonly [name in A[number]]?: ActionResult }
  : { readonly [name in A[number]]: ActionResult };

/** The answer. */
export interface CheckResult<
  P extends PolicyTypes = AnyPolicies,
  K extends KindOf<P> = KindOf<P>,
  A extends readonly ActionOf<P, K>[] = readonly ActionOf<P, K>[],
> {
  readonly requestId: string;
  readonly resourceId: string;
  /** By action, without prototype: what was not asked about is not there. */
  readonly actions: ActionResults<A>;
  readonly effectiveDerivedRoles: readonly string[];
  /** What rules tell besides. */
  readonly outputs: readonly Output[];
  readonly validationErrors: readonly ValidationError[];
  /** Expressions that failed; empty unless `evaluationErrors` asks for them. */
  readonly evaluationErrors: readonly EvaluationError[];
  /** Policies that had a say, and what is known of their sources; empty unless `effectivePolicies` asks for them. */
  readonly effectivePolicies: { readonly [key: string]: object };
}

/** What can be said of a check; what is not said is as it was when the policies were loaded, and else as a server has it by default. */
export interface CheckSettings {
  /** The instant that `now()` reports, written in UTC: a Date, or milliseconds since 1970. That of the clock is written in its time zone. */
  readonly now?: Date | number | undefined;
  /** What `globals` (`G`) holds. JSON; whole numbers are ints, as in a server's configuration. */
  readonly globals?: object | undefined;
  readonly defaultPolicyVersion?: string | undefined;
  readonly defaultScope?: string | undefined;
  readonly lenientScopeSearch?: boolean | undefined;
  /** A condition that fails denies. */
  readonly strictEvaluation?: boolean | undefined;
  /** Name every expression that failed. */
  readonly evaluationErrors?: boolean | undefined;
  /** Name every policy that had a say. */
  readonly effectivePolicies?: boolean | undefined;
  /** How attributes are held against schemas. */
  readonly schemas?: SchemaEnforcement | undefined;
}

/** One decision, for the record. */
export interface DecisionEvent {
  readonly request: CheckRequest;
  readonly result: CheckResult;
  /** The instant that the policies saw: milliseconds since 1970. */
  readonly now: number;
  /** The digest of the policy set that decided. */
  readonly policySet: string;
}

/** What can be said once for all checks. */
export interface DoorSettings extends CheckSettings {
  /** Told of each decision, after it was answered: nobody waits for it, and nothing that goes wrong in it changes an answer. */
  readonly onDecision?: ((event: DecisionEvent) => unknown) | undefined;
  /** Told what `onDecision` threw; without it the console is. */
  readonly onDecisionFailed?: ((error: unknown) => unknown) | undefined;
}

/** What answers checks. */
export interface Door<P extends PolicyTypes = AnyPolicies> {
  /** Answers at once; throws an error named `RequestError`, with all that is wrong, when the request is none. */
  readonly check: <K extends KindOf<P>, const A extends readonly ActionOf<P, K>[]>(
    request: CheckRequest<P, K, A>,
    options?: CheckSettings,
  ) => CheckResult<P, K, A>;
  /** The same about one action: whether it is allowed. */
  readonly isAllowed: <K extends KindOf<P>>(
    principal: Principal<P, K>,
    resource: Resource<P, K>,
    action: ActionOf<P, K>,
    options?: CheckSettings & { readonly auxData?: AuxData | undefined },
  ) => boolean;
}
