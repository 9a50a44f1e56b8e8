/** Parses YAML to a tree with source spans: one mapping for each document of a source. JSON is YAML. */
import { Composer } from "yaml";
import type { Report } from "../diagnostic.ts";
import type { Source } from "../source.ts";
import { limits } from "./limits.ts";
import { loneCarriageReturn } from "./line-breaks.ts";
import type { MapNode } from "./node.ts";
import { parseFast } from "./parse-fast.ts";
import { resolveDocuments } from "./resolve.ts";
import { scanTokens } from "./scan-tokens.ts";
import { describeSyntaxError } from "./syntax-error.ts";
import { tokensOf } from "./tokens.ts";

/**
 * The options of the YAML library, for policies and configuration alike: all scalars are strings (the field
 * determines the type), and keys are compared and merged by our code.
 */
export const composerOptions = {
  version: "1.2",
  schema: "failsafe",
  // Tags are ignored; the values behind them are used.
  resolveKnownTags: false,
  merge: false,
  uniqueKeys: false,
  prettyErrors: false,
  keepSourceTokens: true,
  logLevel: "silent",
} as const;

/**
 * Parses the documents of a source. Returns none if the YAML is invalid (reported). Empty documents are skipped; a
 * document that is a list or a scalar is reported.
 */
export function parseYaml(source: Source, report: Report): readonly MapNode[] {
  if (source.text.length > limits.length) return tooLarge(`a policy cannot be longer than ${limits.length} characters`, source, report);
  const ambiguous = loneCarriageReturn(source);
  if (ambiguous !== undefined) {
    report(ambiguous);
    return [];
  }
  const fast = parseFast(source);
  return fast === undefined ? parseFull(source, report) : [fast];
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

/** Parses with the full parser. */
export function parseFull(source: Source, report: Report): readonly MapNode[] {
  const tokens = tokensOf(source.text);
  const scan = tokens && scanTokens(tokens);
  if (scan === undefined || tokens === undefined || scan.depth > limits.depth)
    return tooLarge(`a policy cannot be nested deeper than ${limits.depth} levels`, source, report);

  const documents = [...new Composer(composerOptions).compose(tokens)];
  // Only the first error is reported: what a parser reports after losing its way is rarely accurate.
  const [error, ...later] = documents.flatMap((document) => document.errors);
  if (error !== undefined) {
    report(describeSyntaxError(error, later, source, scan));
    return [];
  }
  let isValid = true;
  const resolved = resolveDocuments(
    documents.map((document) => document.contents),
    source,
    (diagnostic) => {
      if (diagnostic.code !== "invalid-document") isValid = false;
      report(diagnostic);
    },
  );
  return isValid ? resolved : [];
}
