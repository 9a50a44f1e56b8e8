/** The constant part of a declaration file: the types derived from `Policies`. */

/** TypeScript source, included in every file. */
export const frame = `/** A kind of resource. */
export type Kind = keyof Policies["kinds"];
/** A role that the policies know. */
export type Role = Policies["roles"];
/** A derived role that the policies use. */
export type DerivedRole = Policies["derivedRoles"];
/** A scope in which there is a policy. */
export type Scope = Policies["scopes"];
/** A version of a policy. */
export type PolicyVersion = Policies["policyVersions"];
/** An action that can be asked about for kinds of resources. */
export type Action<K extends Kind = Kind> = { readonly [N in K]: Policies["kinds"][N]["actions"] }[K];
/** Attributes of a resource of a kind. */
export type ResourceAttributes<K extends Kind = Kind> = { readonly [N in K]: Policies["kinds"][N]["attr"] }[K];
/** Attributes of a principal that asks about resources of all these kinds. */
export type PrincipalAttributes<K extends Kind = Kind> = { readonly [N in K]: (attr: Policies["kinds"][N]["principalAttr"]) => void }[K] extends (attr: infer A) => void ? (unknown extends A ? AnyAttributes : A) : never;
/** Attributes of which no schema says anything. */
export type AnyAttributes = { readonly [name: string]: unknown };
/** What a policy says. */
export type Effect = "EFFECT_ALLOW" | "EFFECT_DENY";

type WithAttributes<A> = {} extends A ? { readonly attr?: A } : { readonly attr: A };
type Place = { readonly policyVersion?: PolicyVersion; readonly scope?: Scope };

/** Who asks. */
export type Principal<K extends Kind = Kind> = { readonly id: string; readonly roles: readonly Role[] } & Place & WithAttributes<PrincipalAttributes<K>>;
/** What is asked about: for each kind its own attributes. */
export type Resource<K extends Kind = Kind> = { readonly [N in K]: { readonly kind: N; readonly id: string } & Place & WithAttributes<Policies["kinds"][N]["attr"]> }[K];
/** A resource and the actions that are asked about. Attributes are free where no schema matters for any of the actions. */
export type ResourceCheck<K extends Kind = Kind> = {
  readonly [N in K]: { readonly actions: readonly Action<N>[]; readonly resource: Resource<N> } | ([Policies["kinds"][N]["unvalidated"]] extends [never] ? never : { readonly actions: readonly Policies["kinds"][N]["unvalidated"][]; readonly resource: { readonly kind: N; readonly id: string; readonly attr?: AnyAttributes } & Place });
}[K];
/** A token, and the key set that its signature is held against. */
export type Token = { readonly token: string; readonly keySetId?: string };
/** Tokens that come with a request: one, or several by name. */
export type AuxData = { readonly jwt?: Token; readonly jwts?: never } | { readonly jwt?: never; readonly jwts?: { readonly [name: string]: Token } };
/** What the record keeps beside a request; no policy sees it. */
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
/** What the server answers to it. */
export type CheckResponse<K extends Kind = Kind> = {
  readonly requestId?: string;
  readonly results: readonly CheckResult<K>[];
  readonly authzCallId?: string;
};
/** The answer about one resource. */
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

/** A function that says whether a principal may do something to a resource. */
export type IsAllowed<Answer = boolean> = <K extends Kind>(principal: Principal<K>, resource: Resource<K>, action: Action<K>) => Answer;
/** A function that answers a whole request, such as one that posts it to a server. */
export type Check<Answer = Promise<CheckResponse>> = <K extends Kind>(request: CheckRequest<K>) => Answer;
`;
