/** Reads a resource policy: which actions on one resource kind are allowed to whom, and when. */
import type { Report } from "../diagnostic.ts";
import { list, uniqueStrings } from "../yaml/collection.ts";
import { record } from "../yaml/record.ts";
import { string } from "../yaml/scalar.ts";
import { required, type Read } from "../yaml/shape.ts";
import { conditionShape } from "./condition.ts";
import type { ResourcePolicyDocument, RuleNode } from "./document.ts";
import type { Envelope } from "./envelope.ts";
import { located, locatedItems } from "./located.ts";
import { outputShape } from "./output.ts";
import * as patterns from "./patterns.ts";
import { checkRules, effectShape, readEffect, readRuleParts } from "./rules.ts";
import { readSchemas, schemasShape } from "./schemas.ts";
import { readScope, readScopePermissions, scopedFields } from "./scoped.ts";
import { constantsShape, readConstants, readVariables, variablesShape } from "./variables.ts";

const ruleShape = record({
  name: string(patterns.ruleName),
  actions: required(uniqueStrings(string(patterns.notEmpty))),
  roles: uniqueStrings(string(patterns.notEmpty)),
  derivedRoles: uniqueStrings(string(patterns.setName)),
  effect: required(effectShape),
  condition: conditionShape,
  output: outputShape,
});

/** The shape of a resource policy. */
export const resourcePolicyShape = record({
  resource: required(string(patterns.plainName)),
  version: required(string(patterns.version)),
  ...scopedFields,
  importDerivedRoles: uniqueStrings(string(patterns.setName)),
  variables: variablesShape,
  constants: constantsShape,
  schemas: schemasShape,
  rules: list(ruleShape),
});

/** Builds the document; undefined without a resource or version. */
export function readResourcePolicy(
  policy: Read<typeof resourcePolicyShape>,
  envelope: Envelope,
  report: Report,
): ResourcePolicyDocument | undefined {
  const { fields } = policy;
  const { resource, version } = fields;
  const items = fields.rules?.items ?? [];
  checkRules(items, report);
  const variables = readVariables(fields.variables, envelope.variables, report);
  const rules = items.map((each) => readRule(each, report));
  const scopePermissions = readScopePermissions(policy);
  if (resource === undefined || version === undefined) return undefined;
  const { source, span, head, description, isDisabled, isBroken, sourceAttributes } = envelope.document;
  return {
    kind: "resource",
    source,
    span,
    head,
    description,
    isDisabled,
    isBroken,
    sourceAttributes,
    resource: located(resource),
    version: located(version),
    scope: readScope(policy),
    ...(scopePermissions && { scopePermissions }),
    importDerivedRoles: locatedItems(fields.importDerivedRoles),
    variables,
    constants: readConstants(fields.constants),
    schemas: readSchemas(fields.schemas),
    rules,
  };
}

function readRule(rule: Read<typeof ruleShape>, report: Report): RuleNode {
  const { fields } = rule;
  const { span, path, name, condition, output } = readRuleParts(rule, report);
  return {
    span,
    path,
    actions: locatedItems(fields.actions),
    roles: locatedItems(fields.roles),
    derivedRoles: locatedItems(fields.derivedRoles),
    effect: readEffect(fields.effect),
    ...(name && { name }),
    ...(condition && { condition }),
    ...(output && { output }),
  };
}
