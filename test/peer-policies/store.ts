/** What one trial is made of: a store of policies with its settings, and requests to it. */

/** Anything that JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A condition: one expression, or some under one of three words. */
export type Match =
  | { readonly expr: string }
  | { readonly all: { readonly of: readonly Match[] } }
  | { readonly any: { readonly of: readonly Match[] } }
  | { readonly none: { readonly of: readonly Match[] } };

export type Condition = { readonly match: Match };

export type Output = {
  readonly expr?: string;
  readonly when?: { readonly ruleActivated?: string; readonly conditionNotMet?: string };
};

export type Effect = "EFFECT_ALLOW" | "EFFECT_DENY";

/** What all rules have. */
export type Told = { readonly name?: string; readonly condition?: Condition; readonly output?: Output };

export type ResourceRule = Told & {
  readonly actions: readonly string[];
  readonly roles?: readonly string[];
  readonly derivedRoles?: readonly string[];
  readonly effect: Effect;
};
export type PrincipalAction = Told & { readonly action: string; readonly effect: Effect };
export type RoleRule = Told & { readonly resource: string; readonly allowActions: readonly string[] };
export type DerivedRole = { readonly name: string; readonly parentRoles: readonly string[]; readonly condition?: Condition };

export type Definitions = {
  readonly variables?: { readonly import?: readonly string[]; readonly local?: { readonly [name: string]: string } };
  readonly constants?: { readonly import?: readonly string[]; readonly local?: { readonly [name: string]: Json } };
};

export type Permissions =
  | "SCOPE_PERMISSIONS_UNSPECIFIED"
  | "SCOPE_PERMISSIONS_OVERRIDE_PARENT"
  | "SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS";

export type Scoped = { readonly version?: string; readonly scope?: string; readonly scopePermissions?: Permissions };

/** A schema that attributes must satisfy, unless all actions of the input match one of those. */
export type SchemaReference = { readonly ref: string; readonly ignoreWhen?: { readonly actions: readonly string[] } };

export type ResourcePolicy = Scoped &
  Definitions & {
    readonly resource: string;
    readonly importDerivedRoles?: readonly string[];
    readonly schemas?: { readonly principalSchema?: SchemaReference; readonly resourceSchema?: SchemaReference };
    readonly rules: readonly ResourceRule[];
  };
export type PrincipalPolicy = Scoped &
  Definitions & {
    readonly principal: string;
    readonly rules: readonly { readonly resource: string; readonly actions: readonly PrincipalAction[] }[];
  };
export type RolePolicy = Scoped &
  Definitions & { readonly role: string; readonly parentRoles?: readonly string[]; readonly rules: readonly RoleRule[] };

/** One policy, as a file says it; exactly one of the six kinds is there. */
export type Policy = {
  readonly disabled?: boolean;
  /** The deprecated spelling. */
  readonly variables?: { readonly [name: string]: string };
  readonly resourcePolicy?: ResourcePolicy;
  readonly principalPolicy?: PrincipalPolicy;
  readonly rolePolicy?: RolePolicy;
  readonly derivedRoles?: Definitions & { readonly name: string; readonly definitions: readonly DerivedRole[] };
  readonly exportVariables?: { readonly name: string; readonly definitions: { readonly [name: string]: string } };
  readonly exportConstants?: { readonly name: string; readonly definitions: { readonly [name: string]: Json } };
};

/** How a file is written: block YAML, JSON in YAML, JSON, snake_case block YAML, or YAML whose second rule is merged onto the first. */
export type Style = "block" | "flow" | "json" | "snake" | "merge";

export type File = { readonly style: Style; readonly policy: Policy };

export type StoreSettings = {
  readonly lenientScopeSearch: boolean;
  readonly defaultPolicyVersion: string;
  readonly defaultScope: string;
  readonly globals: { readonly [name: string]: Json };
};

export type Store = {
  readonly settings: StoreSettings;
  /** What becomes of attributes that violate their schemas; absent, schemas are not read. */
  readonly schemaEnforcement?: "warn" | "reject";
  readonly files: readonly File[];
};

export type Attributes = { readonly [name: string]: Json };
export type Principal = {
  readonly id: string;
  readonly roles: readonly string[];
  readonly policyVersion?: string;
  readonly scope?: string;
  readonly attr?: Attributes;
};
export type Resource = {
  readonly kind: string;
  readonly id: string;
  readonly policyVersion?: string;
  readonly scope?: string;
  readonly attr?: Attributes;
};
export type Entry = { readonly resource: Resource; readonly actions: readonly string[] };

export type Request = {
  readonly requestId: string;
  readonly includeMeta: true;
  readonly principal: Principal;
  readonly resources: readonly Entry[];
};

/** A store and what it is asked. */
export type Trial = { readonly store: Store; readonly requests: readonly Request[] };
