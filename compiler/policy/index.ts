/** The policy types: for each the field that contains it, its shape, and the conversion to a document. */
import type { Report } from "../diagnostic.ts";
import type { Shape } from "../yaml/shape.ts";
import { derivedRolesShape, readDerivedRoles } from "./derived-roles.ts";
import type { PolicyDocument } from "./document.ts";
import type { Envelope } from "./envelope.ts";
import { exportConstantsShape, exportVariablesShape, readExportConstants, readExportVariables } from "./exports.ts";
import { principalPolicyShape, readPrincipalPolicy } from "./principal.ts";
import { readResourcePolicy, resourcePolicyShape } from "./resource.ts";
import { readRolePolicy, rolePolicyShape } from "./role.ts";

/** A policy whose fields were read; it becomes a document once its envelope is known. */
export interface PolicyBody {
  readonly value: unknown;
  readonly toDocument: (envelope: Envelope, report: Report) => PolicyDocument | undefined;
}

function policyType<T>(
  shape: Shape<T>,
  read: (value: T, envelope: Envelope, report: Report) => PolicyDocument | undefined,
): Shape<PolicyBody> {
  return {
    isEmpty: () => false,
    form: shape.form,
    read: (place, report) => {
      const value = shape.read(place, report);
      return value === undefined ? undefined : { value, toDocument: (envelope, report) => read(value, envelope, report) };
    },
  };
}

/** The policy types by field. */
// oxfmt-ignore
export const policyTypes = {
  resourcePolicy:  policyType(resourcePolicyShape, readResourcePolicy),
  derivedRoles:    policyType(derivedRolesShape, readDerivedRoles),
  exportVariables: policyType(exportVariablesShape, readExportVariables),
  exportConstants: policyType(exportConstantsShape, readExportConstants),
  principalPolicy: policyType(principalPolicyShape, readPrincipalPolicy),
  rolePolicy:      policyType(rolePolicyShape, readRolePolicy),
} as const;
