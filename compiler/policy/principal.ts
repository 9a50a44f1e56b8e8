/** Reads a principal policy: what one principal may do; evaluated before resource policies. */
import type { Report } from "../diagnostic.ts";
import { mapPresent } from "../map-present.ts";
import { list } from "../yaml/collection.ts";
import { record } from "../yaml/record.ts";
import { string } from "../yaml/scalar.ts";
import { required, type Read } from "../yaml/shape.ts";
import { conditionShape } from "./condition.ts";
import type { PrincipalActionNode, PrincipalPolicyDocument } from "./document.ts";
import type { Envelope } from "./envelope.ts";
import { located } from "./located.ts";
import { outputShape } from "./output.ts";
import * as patterns from "./patterns.ts";
import { checkNames, effectShape, readEffect, readRuleParts, type NameRule } from "./rules.ts";
import { readScope, readScopePermissions, scopedFields } from "./scoped.ts";
import { misplacedInPrincipalPolicy, misplacedInPrincipalRule } from "./misplaced-fields.ts";
import { constantsShape, readConstants, readVariables, variablesShape } from "./variables.ts";

const action = record({
  action: required(string(patterns.notEmpty)),
  effect: required(effectShape),
  condition: conditionShape,
  name: string(patterns.ruleName),
  output: outputShape,
});

const rule = record(
  { resource: required(string(patterns.notEmpty)), actions: required(list(action)) },
  undefined,
  misplacedInPrincipalRule,
);

const uniqueResources: NameRule = { noun: "rule", code: "duplicate-resource", hint: "put the actions of both into one rule" };
const uniqueActionNames: NameRule = { noun: "action", code: "duplicate-rule-name", hint: "give one of them another name" };

/** The shape of a principal policy. */
export const principalPolicyShape = record(
  {
    principal: required(string(patterns.plainName)),
    version: required(string(patterns.version)),
    ...scopedFields,
    variables: variablesShape,
    constants: constantsShape,
    rules: list(rule),
  },
  undefined,
  misplacedInPrincipalPolicy,
);

/** Builds the document; undefined without a principal or version. */
export function readPrincipalPolicy(
  policy: Read<typeof principalPolicyShape>,
  envelope: Envelope,
  report: Report,
): PrincipalPolicyDocument | undefined {
  const { fields } = policy;
  const rules = fields.rules?.items ?? [];
  checkNames(
    rules.map(({ fields: { resource }, place }) => ({ name: resource, place })),
    uniqueResources,
    report,
  );
  const scopePermissions = readScopePermissions(policy);
  const variables = readVariables(fields.variables, envelope.variables, report);
  const read = mapPresent(rules, ({ fields: { resource, actions }, place }) => {
    const readAll = readActions(actions?.items ?? [], report);
    return resource && { span: place.node.span, path: place.path, resource: located(resource), actions: readAll };
  });
  const { principal, version } = fields;
  if (principal === undefined || version === undefined) return undefined;
  const { source, span, head, description, isDisabled, isBroken, sourceAttributes } = envelope.document;
  return {
    kind: "principal",
    source,
    span,
    head,
    description,
    isDisabled,
    isBroken,
    sourceAttributes,
    principal: located(principal),
    version: located(version),
    scope: readScope(policy),
    ...(scopePermissions && { scopePermissions }),
    variables,
    constants: readConstants(fields.constants),
    rules: read,
  };
}

function readActions(actions: readonly Read<typeof action>[], report: Report): readonly PrincipalActionNode[] {
  checkNames(
    actions.map(({ fields: { name }, place }) => ({ name, place })),
    uniqueActionNames,
    report,
  );
  return mapPresent(actions, (each) => {
    const { span, path, name, condition, output } = readRuleParts(each, report);
    const { action, effect } = each.fields;
    if (action === undefined) return undefined;
    return {
      span,
      path,
      action: located(action),
      effect: readEffect(effect),
      ...(name && { name }),
      ...(condition && { condition }),
      ...(output && { output }),
    };
  });
}
