/** Reads the variables and constants of a policy: imported by the set's name, or local. */
import type { Report } from "../diagnostic.ts";
import { mapEach } from "../map-present.ts";
import { mapOf, uniqueStrings, type MapValue } from "../yaml/collection.ts";
import { record } from "../yaml/record.ts";
import { json, string } from "../yaml/scalar.ts";
import type { Placed, Read } from "../yaml/shape.ts";
import type { Value } from "../../runtime/cel/value.ts";
import type { ConstantNode, ConstantsBlock, VariableNode, VariablesBlock } from "./document.ts";
import { expressionText, readExpression } from "./expression.ts";
import { located, locatedItems } from "./located.ts";
import { setName } from "./patterns.ts";

const imports = uniqueStrings(string(setName));

/** Variable names and expressions. */
export const variableMap = mapOf(expressionText);
/** Constant names and values. */
export const constantMap = mapOf(json);
/** The shape of a policy's variables. */
export const variablesShape = record(
  { import: imports, local: variableMap },
  undefined,
  undefined,
  "a variable of this policy is defined below `local`",
);
/** The shape of a policy's constants. */
export const constantsShape = record(
  { import: imports, local: constantMap },
  undefined,
  undefined,
  "a constant of this policy is defined below `local`",
);

/** Reads the variables of a policy: its block, and the deprecated top-level ones. */
export function readVariables(
  block: Read<typeof variablesShape> | undefined,
  deprecated: MapValue<Placed<string>> | undefined,
  report: Report,
): VariablesBlock {
  if (block === undefined && deprecated === undefined) return noVariables;
  return {
    import: locatedItems(block?.fields.import),
    local: readVariableNodes(block?.fields.local, report),
    deprecated: readVariableNodes(deprecated, report),
    unread: [...unreadIn(block?.fields.local), ...unreadIn(deprecated)],
  };
}

// Shared, because most of thousands of policies have none.
const noVariables: VariablesBlock = { import: [], local: [], deprecated: [], unread: [] };
const noConstants: ConstantsBlock = { import: [], local: [], unread: [] };

/** Reads the constants of a policy. */
export const readConstants = (block: Read<typeof constantsShape> | undefined): ConstantsBlock =>
  block === undefined
    ? noConstants
    : {
        import: locatedItems(block.fields.import),
        local: readConstantNodes(block.fields.local),
        unread: unreadIn(block.fields.local),
      };

/** Returns the names in a map whose values cannot be read. */
export const unreadIn = (map: MapValue<unknown> | undefined): readonly string[] => map?.unread ?? [];

/** Reads a map of names to expressions. */
export const readVariableNodes = (map: MapValue<Placed<string>> | undefined, report: Report): readonly VariableNode[] =>
  mapEach(map?.entries ?? [], ({ key, value }) => ({ name: located(key), expression: readExpression(value, report) }));

/** Reads a map of names to values. */
export const readConstantNodes = (map: MapValue<Placed<Value>> | undefined): readonly ConstantNode[] =>
  mapEach(map?.entries ?? [], ({ key, value }) => ({ name: located(key), value: value.value }));
