/** Reads sets of variables and constants that other policies import by the set's name. */
import type { Report } from "../diagnostic.ts";
import { record } from "../yaml/record.ts";
import { string } from "../yaml/scalar.ts";
import { required, type Read } from "../yaml/shape.ts";
import type { ExportConstantsDocument, ExportVariablesDocument } from "./document.ts";
import type { Envelope } from "./envelope.ts";
import { located } from "./located.ts";
import { setName } from "./patterns.ts";
import { constantMap, readConstantNodes, readVariableNodes, unreadIn, variableMap } from "./variables.ts";

/** The shape of a set of variables. */
export const exportVariablesShape = record({ name: required(string(setName)), definitions: variableMap });
/** The shape of a set of constants. */
export const exportConstantsShape = record({ name: required(string(setName)), definitions: constantMap });

/** Builds the document; undefined if it has no name. */
export function readExportVariables(
  { fields }: Read<typeof exportVariablesShape>,
  envelope: Envelope,
  report: Report,
): ExportVariablesDocument | undefined {
  reportMisplacedVariables(envelope, report);
  const definitions = readVariableNodes(fields.definitions, report);
  return (
    fields.name && {
      kind: "exportVariables",
      ...envelope.document,
      name: located(fields.name),
      definitions,
      unread: unreadIn(fields.definitions),
    }
  );
}

/** Builds the document; undefined if it has no name. */
export function readExportConstants(
  { fields }: Read<typeof exportConstantsShape>,
  envelope: Envelope,
  report: Report,
): ExportConstantsDocument | undefined {
  reportMisplacedVariables(envelope, report);
  return (
    fields.name && {
      kind: "exportConstants",
      ...envelope.document,
      name: located(fields.name),
      definitions: readConstantNodes(fields.definitions),
      unread: unreadIn(fields.definitions),
    }
  );
}

function reportMisplacedVariables({ variables }: Envelope, report: Report): void {
  if (variables !== undefined && variables.entries.length > 0)
    report({
      code: "misplaced-variables",
      severity: "error",
      span: variables.place.at,
      path: variables.place.path,
      message: "an export policy cannot have top-level `variables`",
      hint: "move them to `exportVariables.definitions`",
    });
}
