/** What a decision is asked about: one principal, one resource, the actions. Already validated; attributes are JSON. */
import type { JsonObject, Offset, Value } from "../cel/value.ts";
import type { ValidationError } from "./validation-error.ts";

/** One resource, and what is to be done to it by whom. */
export interface CheckInput {
  readonly requestId?: string;
  readonly principal: Principal;
  readonly resource: Resource;
  /** At least one, unique, none empty. */
  readonly actions: readonly string[];
  readonly auxData?: AuxData;
}

/** Who asks. */
export interface Principal {
  readonly id: string;
  /** At least one, unique, none empty. */
  readonly roles: readonly string[];
  readonly attr?: JsonObject | undefined;
  readonly policyVersion?: string | undefined;
  readonly scope?: string | undefined;
}

/** What it is about. */
export interface Resource {
  readonly kind: string;
  readonly id: string;
  readonly attr?: JsonObject | undefined;
  readonly policyVersion?: string | undefined;
  readonly scope?: string | undefined;
}

/** Verified claims: `jwt` of one token, or `jwts` by name, never both. */
export interface AuxData {
  readonly jwt?: JsonObject;
  readonly jwts?: { readonly [name: string]: { readonly claims: JsonObject } };
}

/** What a server decides once and a call takes as given. */
export interface CheckOptions {
  /** The one instant that `now()` reports, milliseconds since 1970 (fractions allowed). */
  readonly now: number;
  /** Where `now()` is written: in UTC if absent, as for instants that somebody gave; `local` for those of this machine's clock. */
  readonly nowOffset?: Offset;
  /** Told when a condition reads the clock: for those who must know whether an answer hangs on it. */
  readonly clockRead?: () => void;
  readonly globals: { readonly [name: string]: Value };
  readonly defaultPolicyVersion: string;
  readonly defaultScope: string;
  readonly lenientScopeSearch: boolean;
  readonly strictEvaluation: boolean;
  /** Also run the interpreter to name every error that conditions and variables met (D43). */
  readonly evaluationErrors: boolean;
  /** `false`: nobody reads which derived roles were active; conditions that do see them all the same. */
  readonly effectiveDerivedRoles?: boolean;
  /** Also name every policy that had a say. */
  readonly effectivePolicies: boolean;
  /** Absent: attributes are not validated. */
  readonly schemas?: SchemaEnforcement;
}

/** How attributes are held against their schemas (semantics 6). */
export interface SchemaEnforcement {
  /** `warn` only reports; `reject` denies every action of an input with errors. */
  readonly enforcement: "warn" | "reject";
  /** Finds what is wrong with attributes (of the input with this index), by the schema's reference as the policy writes it. */
  readonly validate: (input: number, source: ValidationError["source"], ref: string, attributes: JsonObject) => readonly ValidationError[];
}
