/** Text to positioned YAML: one mapping for each document of the text. JSON is YAML. */
import { Composer } from "yaml";
import type { Report } from "../diagnostic.ts";
import type { Source } from "../source.ts";
import { limits } from "./limits.ts";
import { loneReturn } from "./line-breaks.ts";
import type { MapNode } from "./node.ts";
import { readQuickly } from "./quick.ts";
import { resolveDocuments } from "./resolve.ts";
import { survey } from "./survey.ts";
import { describeSyntaxError } from "./syntax-error.ts";
import { tokensOf } from "./tokens.ts";

/** How YAML is read here, policies and configurations alike: all scalars come as text (their fields say what they are), keys are compared and merged by us. */
export const composing = {
  version: "1.2",
  schema: "failsafe",
  // A tag is ignored, and what stands behind it is used.
  resolveKnownTags: false,
  merge: false,
  uniqueKeys: false,
  prettyErrors: false,
  keepSourceTokens: true,
  logLevel: "silent",
} as const;

/** Reads the documents of a source. A text that is not sound YAML has none; empty documents are skipped, lists and single values reported. */
export function parseYaml(source: Source, report: Report): readonly MapNode[] {
  if (source.text.length > limits.length) return tooLarge(`a policy cannot be longer than ${limits.length} characters`, source, report);
  const ambiguous = loneReturn(source);
  if (ambiguous !== undefined) {
    report(ambiguous);
    return [];
  }
  const quick = readQuickly(source);
  return quick === undefined ? parseWhole(source, report) : [quick];
}

function tooLarge(message: string, source: Source, report: Report): readonly MapNode[] {
  report({
    code: "yaml-too-large",
    severity: "error",
    span: { source, start: 0, end: 0 },
    message,
    hint: "split it into several policies",
  });
  return [];
}

/** Reads whatever YAML can say. */
export function parseWhole(source: Source, report: Report): readonly MapNode[] {
  const tokens = tokensOf(source.text);
  const seen = tokens && survey(tokens);
  if (seen === undefined || tokens === undefined || seen.depth > limits.depth)
    return tooLarge(`a policy cannot be nested deeper than ${limits.depth} levels`, source, report);

  const documents = [...new Composer(composing).compose(tokens)];
  // Only the first: what a parser says after it lost its way is seldom true.
  const [error, ...later] = documents.flatMap((document) => document.errors);
  if (error !== undefined) {
    report(describeSyntaxError(error, later, source, seen));
    return [];
  }
  let isSound = true;
  const resolved = resolveDocuments(
    documents.map((document) => document.contents),
    source,
    (diagnostic) => {
      if (diagnostic.code !== "invalid-document") isSound = false;
      report(diagnostic);
    },
  );
  return isSound ? resolved : [];
}
