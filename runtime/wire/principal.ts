/** Reads and validates the principal of a request. */
import type { JsonObject } from "../cel/value.ts";
import type { Principal } from "../decide/input.ts";
import { readAttributes, requireNames } from "./attributes.ts";
import { fields, type Field } from "./field.ts";
import type { Json } from "./json.ts";
import {
  countField,
  readObject,
  readText,
  readTexts,
  root,
  spelling,
  reportUnknownField,
  reportViolation,
  type Reading,
  type LazyPath,
} from "./reading.ts";
import { requireScope, requireText, requireUnique, requireVersion, role } from "./rules.ts";

const depth = 3;

/** Reads the field `principal` of any of the requests. The result is usable only if nothing was recorded in `reading`. */
export function readPrincipal(reading: Reading, value: Json | undefined, self: Field = fields.request.principal): Principal {
  const here: LazyPath = () => [{ name: "principal", field: self }];
  let id = "";
  let roles: readonly string[] = [];
  let attr: JsonObject | undefined;
  let policyVersion = "";
  let scope = "";
  let versionName = "";

  const principal = readObject(reading, root, "principal", value);
  if (principal === undefined) {
    reportViolation(reading, root, self, "principal", "required", "a principal is required");
    return { id, roles };
  }
  reading.length++;
  for (const name in principal) {
    countField(reading, name);
    const field = principal[name];
    switch (name) {
      case "id":
        id = readText(reading, here, name, field);
        break;
      case "roles":
        roles = readTexts(reading, here, name, field);
        break;
      case "attr":
        attr = readAttributes(reading, here, name, field, depth);
        break;
      case "scope":
        scope = readText(reading, here, name, field);
        break;
      case "policyVersion":
      case "policy_version":
        versionName = spelling(reading, here, versionName, name);
        policyVersion = readText(reading, here, name, field);
        break;
      default:
        reportUnknownField(reading, here, name, "id, policyVersion, roles, attr, scope");
    }
  }
  return validatePrincipal(reading, here, versionName, { id, roles, attr, policyVersion, scope });
}

/** The fields of a principal as read; unset ones are empty. */
export interface PrincipalParts {
  readonly id: string;
  readonly roles: readonly string[];
  readonly attr: JsonObject | undefined;
  readonly policyVersion: string;
  readonly scope: string;
}

/**
 * Checks the constraints of a principal, recording violations, and builds it. `versionName` is the caller's spelling
 * (`policyVersion` or `policy_version`).
 */
export function validatePrincipal(
  reading: Reading,
  here: LazyPath,
  versionName: string,
  { id, roles, attr, policyVersion, scope }: PrincipalParts,
): Principal {
  requireText(reading, here, fields.principal.id, "id", id, "a principal id");
  requireVersion(reading, here, fields.principal.policyVersion, versionName, policyVersion);
  requireUnique(reading, here, fields.principal.roles, "roles", roles, role);
  requireNames(reading, here, fields.principal.attr, "attr", attr, "attribute");
  requireScope(reading, here, fields.principal.scope, "scope", scope);

  // Always the same fields in the same order: one hidden class keeps the decision fast.
  return { id, roles, attr, policyVersion: policyVersion === "" ? undefined : policyVersion, scope: scope === "" ? undefined : scope };
}
