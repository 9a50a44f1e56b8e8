/** Reads a set of derived roles: additional roles of a principal that holds a parent role while a condition is true. */
import type { Report } from "../diagnostic.ts";
import { mapPresent } from "../map-present.ts";
import { list, uniqueStrings } from "../yaml/collection.ts";
import { record } from "../yaml/record.ts";
import { string } from "../yaml/scalar.ts";
import { required, type Read } from "../yaml/shape.ts";
import { conditionShape, readCondition } from "./condition.ts";
import type { DerivedRoleNode, DerivedRolesDocument } from "./document.ts";
import type { Envelope } from "./envelope.ts";
import { located, locatedItems } from "./located.ts";
import * as patterns from "./patterns.ts";
import { checkNames, type NameRule } from "./rules.ts";
import { constantsShape, readConstants, readVariables, variablesShape } from "./variables.ts";

const definition = record({
  name: required(string(patterns.setName)),
  parentRoles: required(uniqueStrings(string(patterns.notEmpty))),
  condition: conditionShape,
});

const uniqueNames: NameRule = { noun: "definition", code: "duplicate-derived-role", hint: "give one of them another name" };

/** The shape of a set of derived roles. */
export const derivedRolesShape = record({
  name: required(string(patterns.setName)),
  variables: variablesShape,
  constants: constantsShape,
  definitions: required(list(definition)),
});

/** Builds the document; undefined if it has no name. */
export function readDerivedRoles(
  { fields }: Read<typeof derivedRolesShape>,
  envelope: Envelope,
  report: Report,
): DerivedRolesDocument | undefined {
  const definitions = fields.definitions?.items ?? [];
  checkNames(
    definitions.map(({ fields: { name }, place }) => ({ name, place })),
    uniqueNames,
    report,
  );
  const variables = readVariables(fields.variables, envelope.variables, report);
  const read = mapPresent(definitions, (each) => readDefinition(each, report));
  if (fields.name === undefined) return undefined;
  const { source, span, head, description, isDisabled, isBroken, sourceAttributes } = envelope.document;
  return {
    kind: "derivedRoles",
    source,
    span,
    head,
    description,
    isDisabled,
    isBroken,
    sourceAttributes,
    name: located(fields.name),
    variables,
    constants: readConstants(fields.constants),
    definitions: read,
  };
}

function readDefinition({ fields, place }: Read<typeof definition>, report: Report): DerivedRoleNode | undefined {
  const { name, parentRoles } = fields;
  const condition = fields.condition && readCondition(fields.condition, report);
  if (name === undefined) return undefined;
  return {
    span: place.node.span,
    path: place.path,
    name: located(name),
    parentRoles: locatedItems(parentRoles),
    ...(condition && { condition }),
  };
}
