/** The input of a decision: one principal, one resource, the actions. Already validated; attributes are JSON. */
import type { JsonObject, Offset, Value } from "../cel/value.ts";
import type { ValidationError } from "./validation-error.ts";

/** A principal, a resource, and the actions to decide. */
export interface CheckInput {
  readonly requestId?: string;
  readonly principal: Principal;
  readonly resource: Resource;
  /** At least one, unique, none empty. */
  readonly actions: readonly string[];
  readonly auxData?: AuxData;
}

/** The principal of the request. */
export interface Principal {
  readonly id: string;
  /** At least one, unique, none empty. */
  readonly roles: readonly string[];
  readonly attr?: JsonObject | undefined;
  readonly policyVersion?: string | undefined;
  readonly scope?: string | undefined;
}

/** The resource of the request. */
export interface Resource {
  readonly kind: string;
  readonly id: string;
  readonly attr?: JsonObject | undefined;
  readonly policyVersion?: string | undefined;
  readonly scope?: string | undefined;
}

/** Verified claims: `jwt` for a single token, or `jwts` by name, never both. */
export interface AuxData {
  readonly jwt?: JsonObject;
  readonly jwts?: { readonly [name: string]: { readonly claims: JsonObject } };
}

/** Options that a server decides once for each call. */
export interface CheckOptions {
  /** The instant that `now()` returns, in milliseconds since 1970 (fractions allowed). */
  readonly now: number;
  /** The zone of `now()`: UTC if absent, for instants that were passed in; `local` for instants of this machine's clock. */
  readonly nowOffset?: Offset;
  /** Called when a condition reads the time, for callers that must know whether the decision depends on it. */
  readonly clockRead?: () => void;
  readonly globals: { readonly [name: string]: Value };
  readonly defaultPolicyVersion: string;
  readonly defaultScope: string;
  readonly lenientScopeSearch: boolean;
  readonly strictEvaluation: boolean;
  /** Whether to run the interpreter to report every error in conditions and variables (D43). */
  readonly evaluationErrors: boolean;
  /** False if the caller does not need the active derived roles; conditions that read them still work. */
  readonly effectiveDerivedRoles?: boolean;
  /** Whether to return every policy that took part. */
  readonly effectivePolicies: boolean;
  /** Absent: attributes are not validated. */
  readonly schemas?: SchemaEnforcement;
}

/** How attributes are validated against their schemas (semantics 6). */
export interface SchemaEnforcement {
  /** `warn` only reports; `reject` denies every action of an input with violations. */
  readonly enforcement: "warn" | "reject";
  /** Validates attributes of the input with this index; `ref` is the schema reference as written in the policy. */
  readonly validate: (input: number, source: ValidationError["source"], ref: string, attributes: JsonObject) => readonly ValidationError[];
}
