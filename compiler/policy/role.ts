/** A role policy: all that a role may do at most. Read and checked for form; it has no meaning here yet. */
import type { Report } from "../diagnostic.ts";
import { list, uniqueTexts } from "../yaml/collection.ts";
import { record } from "../yaml/record.ts";
import { text, word } from "../yaml/scalar.ts";
import { required, type Read } from "../yaml/shape.ts";
import { conditionShape } from "./condition.ts";
import type { Envelope } from "./envelope.ts";
import { reportNotSupported } from "./not-supported.ts";
import { outputShape } from "./output.ts";
import * as patterns from "./patterns.ts";
import { constantsShape, variablesShape } from "./variables.ts";
import { scopePermissions } from "./words.ts";

/** The fields of a role policy. */
export const rolePolicyShape = record({
  role: required(text(patterns.plainName)),
  version: text(patterns.optionalVersion),
  parentRoles: uniqueTexts(text(patterns.notEmpty)),
  scope: text(patterns.scope),
  scopePermissions: word(scopePermissions),
  variables: variablesShape,
  constants: constantsShape,
  rules: list(
    record({
      resource: required(text(patterns.notEmpty)),
      allowActions: required(uniqueTexts(text(patterns.notEmpty))),
      condition: conditionShape,
      name: text(patterns.ruleName),
      output: outputShape,
    }),
  ),
});

/** Reports that role policies are not supported yet. */
export function readRolePolicy({ place }: Read<typeof rolePolicyShape>, _envelope: Envelope, report: Report): undefined {
  reportNotSupported("role policies", place, report);
}
