/** The shape of the results of InspectPolicies (authz.response.v1.InspectPoliciesResponse), as proto3 JSON. */
import type { Json } from "../../runtime/cel/to-json.ts";

/** What each policy contains, by policy key. */
export interface Inspection {
  readonly [policyKey: string]: InspectedPolicy;
}

/** What one policy contains. A list with nothing in it is absent, and so is a flag that is false. */
export interface InspectedPolicy {
  /** What the store calls the policy. */
  readonly policyId: string;
  readonly actions?: readonly string[];
  readonly derivedRoles?: readonly InspectedDerivedRole[];
  readonly attributes?: readonly InspectedAttribute[];
  readonly variables?: readonly InspectedVariable[];
  readonly constants?: readonly InspectedConstant[];
}

/** A derived role that a policy defines for others, imports, or names though nothing defines it. */
export interface InspectedDerivedRole {
  readonly name: string;
  readonly kind: "KIND_EXPORTED" | "KIND_IMPORTED" | "KIND_UNDEFINED";
  /** Key of the set that defines it. */
  readonly source?: string;
}

/** An attribute of the request that a policy reads. */
export interface InspectedAttribute {
  readonly kind: "KIND_PRINCIPAL_ATTRIBUTE" | "KIND_RESOURCE_ATTRIBUTE";
  readonly name: string;
}

/** Where a variable or constant comes from; what is compiled does not say. */
export type DefinitionKind = "KIND_EXPORTED" | "KIND_IMPORTED" | "KIND_LOCAL" | "KIND_UNDEFINED" | "KIND_UNKNOWN";

/** A variable that a policy defines or uses. */
export interface InspectedVariable {
  readonly name: string;
  /** Its expression; `null` where nothing defines it. */
  readonly value: string;
  readonly kind: DefinitionKind;
  /** Key of the policy that defines it. */
  readonly source?: string;
  readonly used?: true;
}

/** A constant that a policy defines or uses. */
export interface InspectedConstant {
  readonly name: string;
  readonly value?: Json;
  readonly kind: DefinitionKind;
  readonly source?: string;
  readonly used?: true;
}
