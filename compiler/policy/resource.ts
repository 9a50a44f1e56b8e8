/** A resource policy: what may be done to one kind of resource, by whom, when. */
import type { Report } from "../diagnostic.ts";
import { list, uniqueTexts } from "../yaml/collection.ts";
import { record } from "../yaml/record.ts";
import { text, word } from "../yaml/scalar.ts";
import { required, type Read } from "../yaml/shape.ts";
import { conditionShape, readCondition } from "./condition.ts";
import type { Effect, ResourcePolicyDocument, RuleNode } from "./document.ts";
import type { Envelope } from "./envelope.ts";
import { located, locatedItems } from "./located.ts";
import { reportNotSupported } from "./not-supported.ts";
import { outputShape } from "./output.ts";
import * as patterns from "./patterns.ts";
import { checkRules } from "./rules.ts";
import { schemasShape } from "./schemas.ts";
import { constantsShape, readConstants, readVariables, variablesShape } from "./variables.ts";
import { effects, scopePermissions } from "./words.ts";

const rule = record({
  name: text(patterns.ruleName),
  actions: required(uniqueTexts(text(patterns.notEmpty))),
  roles: uniqueTexts(text(patterns.notEmpty)),
  derivedRoles: uniqueTexts(text(patterns.setName)),
  effect: required(word(effects)),
  condition: conditionShape,
  output: outputShape,
});

/** The fields of a resource policy. */
export const resourcePolicyShape = record({
  resource: required(text(patterns.plainName)),
  version: required(text(patterns.version)),
  scope: text(patterns.scope),
  scopePermissions: word(scopePermissions),
  importDerivedRoles: uniqueTexts(text(patterns.setName)),
  variables: variablesShape,
  constants: constantsShape,
  schemas: schemasShape,
  rules: list(rule),
});

/** Turns what was read into a document; without a resource and a version there is none, and none of a scoped policy: it would stand for the unscoped one. */
export function readResourcePolicy(
  { fields }: Read<typeof resourcePolicyShape>,
  envelope: Envelope,
  report: Report,
): ResourcePolicyDocument | undefined {
  const isScoped = fields.scope !== undefined && fields.scope.value !== "";
  if (isScoped) reportNotSupported("scopes", fields.scope.place, report);
  if (fields.scopePermissions !== undefined && fields.scopePermissions.value !== scopePermissions[0])
    reportNotSupported("scope permissions", fields.scopePermissions.place, report);
  if (fields.schemas !== undefined) reportNotSupported("schemas", fields.schemas.place, report);
  const rules = fields.rules?.items ?? [];
  checkRules(rules, report);
  const document = {
    kind: "resource",
    ...envelope.document,
    importDerivedRoles: locatedItems(fields.importDerivedRoles),
    variables: readVariables(fields.variables, envelope.variables, report),
    constants: readConstants(fields.constants),
    rules: rules.map((each) => readRule(each, report)),
  } as const;
  return isScoped
    ? undefined
    : fields.resource && fields.version && { ...document, resource: located(fields.resource), version: located(fields.version) };
}

function readRule({ fields, place }: Read<typeof rule>, report: Report): RuleNode {
  if (fields.output !== undefined) reportNotSupported("outputs", fields.output.place, report);
  const condition = fields.condition && readCondition(fields.condition, report);
  // A rule without an effect is already reported; it must not look like one that allows.
  const effect: Effect = fields.effect?.value === "EFFECT_ALLOW" ? "allow" : "deny";
  return {
    span: place.node.span,
    path: place.path,
    actions: locatedItems(fields.actions),
    roles: locatedItems(fields.roles),
    derivedRoles: locatedItems(fields.derivedRoles),
    effect,
    ...(fields.name !== undefined && fields.name.value !== "" && { name: located(fields.name) }),
    ...(condition && { condition }),
  };
}
