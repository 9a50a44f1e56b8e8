/**
 * Reads a source and returns its policy document. Reports every error, and returns a document even then, as far as it
 * could be read.
 */
import type { Report } from "../diagnostic.ts";
import { messages, type Code, type Reference } from "../messages.ts";
import type { Source } from "../source.ts";
import { headOf, type MapNode } from "../yaml/node.ts";
import { parseYaml } from "../yaml/parse.ts";
import { rootPath } from "../yaml/path.ts";
import { record } from "../yaml/record.ts";
import type { Mistake, Read } from "../yaml/shape.ts";
import type { PolicyDocument } from "./document.ts";
import { envelopeFields, sourceAttributesOf, type Envelope } from "./envelope.ts";
import { policyTypes } from "./index.ts";
import { misplacedInFile } from "./misplaced-fields.ts";

/** The fields of every policy, whatever its type. */
export const policyShape = record(
  { ...envelopeFields, ...policyTypes },
  {
    description: "what kind of policy this is",
    fields: ["resourcePolicy", "derivedRoles", "exportVariables", "exportConstants", "principalPolicy", "rolePolicy"],
  },
  misplacedInFile,
);

/** The fields of a policy as read, and whether all of the text could be read. */
export interface PolicyFields {
  readonly policy: Read<typeof policyShape>;
  readonly isComplete: boolean;
  /** Whether all of it could be read, and no rule is broken. */
  readonly isValid: boolean;
}

/** Reads the policy of a source; undefined if it has none. A disabled policy is marked as such. */
export function readPolicy(source: Source, report: Report): PolicyDocument | undefined {
  const documents = parseYaml(source, report);
  const [first, second] = documents;
  if (second !== undefined) {
    report({
      code: "multiple-documents",
      severity: "error",
      source,
      focus: headOf(second),
      message: "a file can hold only one policy",
      hint: "move each policy to a file of its own",
    });
    // Report the errors of all documents now, so that the author sees them at once.
    for (const document of documents) readDocument(document, source, report);
    return undefined;
  }
  return first && readDocument(first, source, report);
}

function readDocument(node: MapNode, source: Source, report: Report): PolicyDocument | undefined {
  const read = readFields(node, report);
  return read && toDocument(read, source, report);
}

/**
 * Reads the fields of one document. Broken rules are reported only if all of it could be read; otherwise most are
 * consequences.
 */
export function readFields(node: MapNode, report: Report): PolicyFields | undefined {
  const violations: Mistake[] = [];
  let isComplete = true;
  const policy = policyShape.read(
    { node, path: rootPath, at: node.token },
    {
      parseError: (mistake) => {
        isComplete = false;
        report({ severity: "error", ...mistake });
      },
      violation: (mistake) => void violations.push(mistake),
    },
  );
  if (isComplete) for (const mistake of violations) report({ severity: "error", ...mistake });
  return policy && { policy, isComplete, isValid: isComplete && violations.length === 0 };
}

// These would be reported wrongly if something could not be read.
const aboutTheWhole: ReadonlySet<Code> = new Set(["empty-output", "missing-version"]);

function toDocument(
  { policy: { fields, place }, isComplete, isValid }: PolicyFields,
  source: Source,
  report: Report,
): PolicyDocument | undefined {
  const isDisabled = fields.disabled?.value === true;
  const envelope: Envelope = {
    document: {
      source,
      span: place.node.span,
      head: place.node.token,
      description: fields.description?.value ?? "",
      isDisabled,
      isBroken: !isValid,
      sourceAttributes: sourceAttributesOf(fields.metadata, source),
    },
    ...(fields.variables && { variables: fields.variables }),
  };
  const body =
    fields.resourcePolicy ??
    fields.derivedRoles ??
    fields.exportVariables ??
    fields.exportConstants ??
    fields.principalPolicy ??
    fields.rolePolicy;
  return body?.toDocument(envelope, (diagnostic) => {
    const reference: Reference = messages[diagnostic.code].reference;
    if (!isComplete && (reference.stage === "load" || aboutTheWhole.has(diagnostic.code))) return;
    // A disabled policy is checked only for form, because it counts as absent.
    if (isDisabled && reference.stage !== "load") return;
    report(diagnostic);
  });
}
