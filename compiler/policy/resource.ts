/** A resource policy: what may be done to one kind of resource, by whom, when. */
import type { Report } from "../diagnostic.ts";
import { list, uniqueTexts } from "../yaml/collection.ts";
import { record } from "../yaml/record.ts";
import { text } from "../yaml/scalar.ts";
import { required, type Read } from "../yaml/shape.ts";
import { conditionShape } from "./condition.ts";
import type { ResourcePolicyDocument } from "./document.ts";
import type { Envelope } from "./envelope.ts";
import { located, locatedItems } from "./located.ts";
import { outputShape } from "./output.ts";
import * as patterns from "./patterns.ts";
import { checkRules, effectShape, readEffect, readRuleParts } from "./rules.ts";
import { readSchemas, schemasShape } from "./schemas.ts";
import { readScope, readScopePermissions, scopedFields } from "./scoped.ts";
import { constantsShape, readConstants, readVariables, variablesShape } from "./variables.ts";

const rule = record({
  name: text(patterns.ruleName),
  actions: required(uniqueTexts(text(patterns.notEmpty))),
  roles: uniqueTexts(text(patterns.notEmpty)),
  derivedRoles: uniqueTexts(text(patterns.setName)),
  effect: required(effectShape),
  condition: conditionShape,
  output: outputShape,
});

/** The fields of a resource policy. */
export const resourcePolicyShape = record({
  resource: required(text(patterns.plainName)),
  version: required(text(patterns.version)),
  ...scopedFields,
  importDerivedRoles: uniqueTexts(text(patterns.setName)),
  variables: variablesShape,
  constants: constantsShape,
  schemas: schemasShape,
  rules: list(rule),
});

/** Turns what was read into a document; without a resource and a version there is none. */
export function readResourcePolicy(
  policy: Read<typeof resourcePolicyShape>,
  envelope: Envelope,
  report: Report,
): ResourcePolicyDocument | undefined {
  const { fields } = policy;
  const rules = fields.rules?.items ?? [];
  checkRules(rules, report);
  const document = {
    kind: "resource",
    ...envelope.document,
    scope: readScope(policy),
    ...readScopePermissions(policy),
    importDerivedRoles: locatedItems(fields.importDerivedRoles),
    variables: readVariables(fields.variables, envelope.variables, report),
    constants: readConstants(fields.constants),
    schemas: readSchemas(fields.schemas),
    rules: rules.map((each) => ({
      ...readRuleParts(each, report),
      actions: locatedItems(each.fields.actions),
      roles: locatedItems(each.fields.roles),
      derivedRoles: locatedItems(each.fields.derivedRoles),
      effect: readEffect(each.fields.effect),
    })),
  } as const;
  return fields.resource && fields.version && { ...document, resource: located(fields.resource), version: located(fields.version) };
}
