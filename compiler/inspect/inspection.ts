/** Types of the results of InspectPolicies (authz.response.v1.InspectPoliciesResponse), as proto3 JSON. */
import type { Json } from "../../runtime/cel/to-json.ts";

/** The contents of each policy, by policy key. */
export interface Inspection {
  readonly [policyKey: string]: InspectedPolicy;
}

/** The contents of one policy. Empty lists and false flags are absent. */
export interface InspectedPolicy {
  /** The store's id of the policy. */
  readonly policyId: string;
  readonly actions?: readonly string[];
  readonly derivedRoles?: readonly InspectedDerivedRole[];
  readonly attributes?: readonly InspectedAttribute[];
  readonly variables?: readonly InspectedVariable[];
  readonly constants?: readonly InspectedConstant[];
}

/** A derived role that a policy exports, imports, or names without a definition. */
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

/** Where a variable or constant comes from; unknown for compiled policies. */
export type DefinitionKind = "KIND_EXPORTED" | "KIND_IMPORTED" | "KIND_LOCAL" | "KIND_UNDEFINED" | "KIND_UNKNOWN";

/** A variable that a policy defines or uses. */
export interface InspectedVariable {
  readonly name: string;
  /** Its expression; `null` if it is undefined. */
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
