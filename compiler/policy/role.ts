/** Reads a role policy: the most that a role may do, and the parent roles whose permissions it restricts. */
import type { Report } from "../diagnostic.ts";
import { mapPresent } from "../map-present.ts";
import { list, uniqueStrings } from "../yaml/collection.ts";
import { record } from "../yaml/record.ts";
import { string } from "../yaml/scalar.ts";
import { required, type Read } from "../yaml/shape.ts";
import { conditionShape } from "./condition.ts";
import type { Located, RolePolicyDocument, RoleRuleNode } from "./document.ts";
import type { Envelope } from "./envelope.ts";
import { located, locatedItems } from "./located.ts";
import { outputShape } from "./output.ts";
import * as patterns from "./patterns.ts";
import { readRuleParts } from "./rules.ts";
import { readScope, requireConsentOnly, scopedFields } from "./scoped.ts";
import { constantsShape, readConstants, readVariables, variablesShape } from "./variables.ts";

const ruleShape = record({
  resource: required(string(patterns.notEmpty)),
  allowActions: required(uniqueStrings(string(patterns.notEmpty))),
  condition: conditionShape,
  name: string(patterns.ruleName),
  output: outputShape,
});

/** The shape of a role policy. */
export const rolePolicyShape = record({
  role: required(string(patterns.plainName)),
  version: string(patterns.optionalVersion),
  parentRoles: uniqueStrings(string(patterns.notEmpty)),
  scope: scopedFields.scope,
  // Accepted for files that still have it; it has no effect in role policies.
  scopePermissions: requireConsentOnly,
  variables: variablesShape,
  constants: constantsShape,
  rules: list(ruleShape),
});

/** Builds the document; undefined without a role. */
export function readRolePolicy(policy: Read<typeof rolePolicyShape>, envelope: Envelope, report: Report): RolePolicyDocument | undefined {
  const { fields } = policy;
  const version = readVersion(policy, report);
  const variables = readVariables(fields.variables, envelope.variables, report);
  const rules = mapPresent(fields.rules?.items ?? [], (each) => readRule(each, report));
  if (fields.role === undefined) return undefined;
  const { source, span, head, description, isDisabled, isBroken, sourceAttributes } = envelope.document;
  return {
    kind: "role",
    source,
    span,
    head,
    description,
    isDisabled,
    isBroken,
    sourceAttributes,
    role: located(fields.role),
    version,
    parentRoles: locatedItems(fields.parentRoles),
    scope: readScope(policy),
    variables,
    constants: readConstants(fields.constants),
    rules,
  };
}

function readRule(rule: Read<typeof ruleShape>, report: Report): RoleRuleNode | undefined {
  const { span, path, name, condition, output } = readRuleParts(rule, report);
  const { resource, allowActions } = rule.fields;
  if (resource === undefined) return undefined;
  return {
    span,
    path,
    resource: located(resource),
    allowActions: locatedItems(allowActions),
    ...(name && { name }),
    ...(condition && { condition }),
    ...(output && { output }),
  };
}

function readVersion({ fields, place }: Read<typeof rolePolicyShape>, report: Report): Located<string> {
  const { role, version } = fields;
  if (version !== undefined && version.value !== "") return located(version);
  report({
    code: "missing-version",
    severity: "warning",
    span: version?.place.at ?? place.at,
    path: version?.place.path ?? place.path,
    message: `the policy of role \`${role?.value ?? ""}\` has no version, so it is version \`default\``,
    hint: "add `version: default`",
  });
  return { value: "default", span: version?.place.at ?? place.at, path: version?.place.path ?? place.path };
}
