/** A principal policy: what one principal may do. Read and checked for form; it has no meaning here yet. */
import type { Report } from "../diagnostic.ts";
import { list } from "../yaml/collection.ts";
import { record } from "../yaml/record.ts";
import { text, word } from "../yaml/scalar.ts";
import { required, type Read } from "../yaml/shape.ts";
import { conditionShape } from "./condition.ts";
import type { Envelope } from "./envelope.ts";
import { reportNotSupported } from "./not-supported.ts";
import { outputShape } from "./output.ts";
import * as patterns from "./patterns.ts";
import { checkNames, type NameRule } from "./rules.ts";
import { constantsShape, variablesShape } from "./variables.ts";
import { effects, scopePermissions } from "./words.ts";

const action = record({
  action: required(text(patterns.notEmpty)),
  effect: required(word(effects)),
  condition: conditionShape,
  name: text(patterns.ruleName),
  output: outputShape,
});

const rule = record({ resource: required(text(patterns.notEmpty)), actions: required(list(action)) });

const uniqueResources: NameRule = { noun: "rule", code: "duplicate-resource", hint: "put the actions of both into one rule" };
const uniqueActionNames: NameRule = { noun: "action", code: "duplicate-rule-name", hint: "give one of them another name" };

/** The fields of a principal policy. */
export const principalPolicyShape = record({
  principal: required(text(patterns.plainName)),
  version: required(text(patterns.version)),
  scope: text(patterns.scope),
  scopePermissions: word(scopePermissions),
  variables: variablesShape,
  constants: constantsShape,
  rules: list(rule),
});

/** Checks the names of a principal policy, and reports that such policies are not supported yet. */
export function readPrincipalPolicy({ fields, place }: Read<typeof principalPolicyShape>, _envelope: Envelope, report: Report): undefined {
  const rules = fields.rules?.items ?? [];
  checkNames(
    rules.map((each) => ({ place: each.place, ...(each.fields.resource && { name: each.fields.resource }) })),
    uniqueResources,
    report,
  );
  for (const each of rules) {
    const actions = each.fields.actions?.items ?? [];
    checkNames(
      actions.map((one) => ({ place: one.place, ...(one.fields.name && { name: one.fields.name }) })),
      uniqueActionNames,
      report,
    );
  }
  reportNotSupported("principal policies", place, report);
}
