/** Reads the principal of a request: who asks. */
import type { JsonObject } from "../cel/value.ts";
import type { Principal } from "../decide/input.ts";
import { readAttributes, requireNames } from "./attributes.ts";
import { fields, type Field } from "./field.ts";
import type { Json } from "./json.ts";
import { meet, readObject, readText, readTexts, root, spelling, unknownField, violate, type Reading, type Standing } from "./reading.ts";
import { requireScope, requireText, requireUnique, requireVersion, role } from "./rules.ts";

const depth = 3;

/** Reads `principal`, a field of any request; what it answers counts only when nothing was noted. */
export function readPrincipal(reading: Reading, value: Json | undefined, self: Field = fields.request.principal): Principal {
  const here: Standing = () => [{ name: "principal", field: self }];
  let id = "";
  let roles: readonly string[] = [];
  let attr: JsonObject | undefined;
  let policyVersion = "";
  let scope = "";
  let versionName = "";

  const principal = readObject(reading, root, "principal", value);
  if (principal === undefined) {
    violate(reading, root, self, "principal", "required", "a principal is required");
    return { id, roles };
  }
  reading.length++;
  for (const name in principal) {
    meet(reading, name);
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
        unknownField(reading, here, name, "id, policyVersion, roles, attr, scope");
    }
  }
  return soundPrincipal(reading, here, versionName, { id, roles, attr, policyVersion, scope });
}

/** A principal as it was read: what is not set is empty. */
export interface PrincipalParts {
  readonly id: string;
  readonly roles: readonly string[];
  readonly attr: JsonObject | undefined;
  readonly policyVersion: string;
  readonly scope: string;
}

/** Notes which constraints a principal breaks, and makes it; the version has two names. */
export function soundPrincipal(
  reading: Reading,
  here: Standing,
  versionName: string,
  { id, roles, attr, policyVersion, scope }: PrincipalParts,
): Principal {
  requireText(reading, here, fields.principal.id, "id", id, "a principal id");
  requireVersion(reading, here, fields.principal.policyVersion, versionName, policyVersion);
  requireUnique(reading, here, fields.principal.roles, "roles", roles, role);
  requireNames(reading, here, fields.principal.attr, "attr", attr, "attribute");
  requireScope(reading, here, fields.principal.scope, "scope", scope);

  // Always the same fields: one hidden class keeps the decision fast.
  return { id, roles, attr, policyVersion: policyVersion === "" ? undefined : policyVersion, scope: scope === "" ? undefined : scope };
}
