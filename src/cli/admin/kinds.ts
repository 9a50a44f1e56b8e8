/** The kinds of policies: their names on the command line, and their columns in lists. */
import type { Policy } from "../../../proto/gen/authz/policy/v1/policy_pb.js";
import { policyKey, setKey } from "../../../compiler/policy/names.ts";

/** A field of the policy message that contains one kind of policy. */
export type PolicyField = NonNullable<Policy["policyType"]["case"]>;

/** A kind of policy. */
export interface PolicyKind {
  readonly field: PolicyField;
  /** The reference's spelling, and the alternatives. */
  readonly name: string;
  readonly aliases: readonly string[];
  /** The columns of a list of this kind. */
  readonly columns: readonly Column[];
}

/** A column of a list. */
export type Column = "name" | "version" | "scope";

const versioned: readonly Column[] = ["name", "version", "scope"];

/** Every kind, in the order of the help. */
// oxfmt-ignore
export const policyKinds: readonly PolicyKind[] = [
  { field: "derivedRoles",    name: "derived_roles",      aliases: ["derived_role", "dr", "derived-roles", "derived-role"],                  columns: ["name"] },
  { field: "exportConstants", name: "export_constants",   aliases: ["export_constant", "ec", "export-constants", "export-constant"],         columns: ["name"] },
  { field: "exportVariables", name: "export_variables",   aliases: ["export_variable", "ev", "export-variables", "export-variable"],         columns: ["name"] },
  { field: "principalPolicy", name: "principal_policies", aliases: ["principal_policy", "pp", "principal-policies", "principal-policy"],     columns: versioned },
  { field: "resourcePolicy",  name: "resource_policies",  aliases: ["resource_policy", "rp", "resource-policies", "resource-policy"],        columns: versioned },
  { field: "rolePolicy",      name: "role_policies",      aliases: ["role_policy", "rlp", "role-policies", "role-policy"],                   columns: ["name", "scope"] },
];

/** A policy as one row. */
export interface PolicyRow {
  readonly field: PolicyField;
  /** Its id in the store. */
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly version: string;
  readonly scope: string;
}

/** Returns the row for a message; undefined for a message without a policy. */
export function rowOf(policy: Policy): PolicyRow | undefined {
  const described = describe(policy.policyType);
  if (described === undefined) return undefined;
  const stored = policy.metadata?.storeIdentifier ?? "";
  return { ...described, id: stored === "" ? described.key : stored };
}

function describe(policy: Policy["policyType"]): Omit<PolicyRow, "id"> | undefined {
  const field = policy.case;
  switch (field) {
    case "resourcePolicy": {
      const { resource: name, version, scope } = policy.value;
      return { field, key: policyKey("resource", name, version, scope), name, version, scope };
    }
    case "principalPolicy": {
      const { principal: name, version, scope } = policy.value;
      return { field, key: policyKey("principal", name, version, scope), name, version, scope };
    }
    case "rolePolicy": {
      const { scope, policyType, version } = policy.value;
      const name = policyType.value ?? "";
      return { field, key: policyKey("role", name, version === "" ? "default" : version, scope), name, version, scope };
    }
    case "derivedRoles":
      return { field, key: setKey("derived_roles", policy.value.name), name: policy.value.name, version: "", scope: "" };
    case "exportConstants":
      return { field, key: setKey("export_constants", policy.value.name), name: policy.value.name, version: "", scope: "" };
    case "exportVariables":
      return { field, key: setKey("export_variables", policy.value.name), name: policy.value.name, version: "", scope: "" };
    case undefined:
      return undefined;
  }
}
