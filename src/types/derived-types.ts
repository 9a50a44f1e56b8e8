/** The constant part of a declaration file: the types derived from `Policies`. */

/** TypeScript source, included in every file. */
export const derivedTypes = `/** A kind of resource. */
export type Kind = keyof Policies["kinds"];
/** A role that the policies name. */
export type Role = Policies["roles"];
/** A derived role that the policies use. */
export type DerivedRole = Policies["derivedRoles"];
/** A scope in which there is a policy. */
export type Scope = Policies["scopes"];
/** A version of a policy. */
export type PolicyVersion = Policies["policyVersions"];
/** An action on resources of these kinds. */
export type Action<K extends Kind = Kind> = { readonly [N in K]: Policies["kinds"][N]["actions"] }[K];
/** Attributes of a resource of a kind. */
export type ResourceAttributes<K extends Kind = Kind> = { readonly [N in K]: Policies["kinds"][N]["attr"] }[K];
/** Attributes of the principal in a request about resources of all these kinds. */
export type PrincipalAttributes<K extends Kind = Kind> = { readonly [N in K]: (attr: Policies["kinds"][N]["principalAttr"]) => void }[K] extends (attr: infer A) => void ? (unknown extends A ? AnyAttributes : A) : never;
/** Attributes without a schema. */
export type AnyAttributes = { readonly [name: string]: unknown };
/** The decision for an action. */
export type Effect = "EFFECT_ALLOW" | "EFFECT_DENY";

type WithAttributes<A> = {} extends A ? { readonly attr?: A } : { readonly attr: A };
type Place = { readonly policyVersion?: PolicyVersion; readonly scope?: Scope };

/** The principal of a request. */
export type Principal<K extends Kind = Kind> = { readonly id: string; readonly roles: readonly Role[] } & Place & WithAttributes<PrincipalAttributes<K>>;
/** The resource of a request, with the attributes of its kind. */
export type Resource<K extends Kind = Kind> = { readonly [N in K]: { readonly kind: N; readonly id: string } & Place & WithAttributes<Policies["kinds"][N]["attr"]> }[K];
/** A resource and the actions to check. Attributes may have any type if none of the actions is subject to validation. */
export type ResourceCheck<K extends Kind = Kind> = {
  readonly [N in K]: { readonly actions: readonly Action<N>[]; readonly resource: Resource<N> } | ([Policies["kinds"][N]["unvalidated"]] extends [never] ? never : { readonly actions: readonly Policies["kinds"][N]["unvalidated"][]; readonly resource: { readonly kind: N; readonly id: string; readonly attr?: AnyAttributes } & Place });
}[K];
/** A token, and the key set that verifies its signature. */
export type Token = { readonly token: string; readonly keySetId?: string };
/** The tokens of a request: one, or several by name. */
export type AuxData = { readonly jwt?: Token; readonly jwts?: never } | { readonly jwt?: never; readonly jwts?: { readonly [name: string]: Token } };
/** Annotations for the audit log; policies cannot see them. */
export type RequestContext = { readonly annotations?: { readonly [name: string]: unknown } };

/** The body of POST /api/check/resources. */
export type CheckRequest<K extends Kind = Kind> = {
  readonly requestId?: string;
  readonly includeMeta?: boolean;
  readonly principal: Principal<K>;
  readonly resources: readonly ResourceCheck<K>[];
  readonly auxData?: AuxData;
  readonly requestContext?: RequestContext;
};
/** The response to it. */
export type CheckResponse<K extends Kind = Kind> = {
  readonly requestId?: string;
  readonly results: readonly CheckResult<K>[];
  readonly authzCallId?: string;
};
/** The decisions for one resource. */
export type CheckResult<K extends Kind = Kind> = {
  readonly [N in K]: {
    readonly resource: { readonly id: string; readonly kind: N; readonly policyVersion?: string; readonly scope?: string };
    readonly actions: { readonly [A in Action<N>]?: Effect };
    readonly validationErrors?: readonly { readonly path?: string; readonly message?: string; readonly source?: "SOURCE_PRINCIPAL" | "SOURCE_RESOURCE" }[];
    readonly meta?: {
      readonly actions?: { readonly [A in Action<N>]?: { readonly matchedPolicy?: string; readonly matchedScope?: string } };
      readonly effectiveDerivedRoles?: readonly DerivedRole[];
    };
    readonly outputs?: readonly { readonly src: string; readonly action?: string; readonly val?: unknown; readonly error?: string }[];
  };
}[K];

/** A function that returns whether a principal may perform an action on a resource. */
export type IsAllowed<Answer = boolean> = <K extends Kind>(principal: Principal<K>, resource: Resource<K>, action: Action<K>) => Answer;
/** A function that answers a whole request, such as one that posts it to a server. */
export type Check<Answer = Promise<CheckResponse>> = <K extends Kind>(request: CheckRequest<K>) => Answer;
`;
