/** Reads a file with one YAML document by a shape, and reports everything that is wrong with it. */
import { inOrder, isError, type Diagnostic, type Report } from "../../compiler/diagnostic.ts";
import type { Source } from "../../compiler/source.ts";
import { headOf, type MapNode } from "../../compiler/yaml/node.ts";
import { parseYaml } from "../../compiler/yaml/parse.ts";
import { rootPath } from "../../compiler/yaml/path.ts";
import type { Mistake, Shape } from "../../compiler/yaml/shape.ts";
import { reportAmbiguousValues } from "./ambiguous-values.ts";

/** The result of reading a file. */
export type ReadResult<T> =
  | { readonly kind: "good"; readonly value: T; readonly warnings: readonly Diagnostic[] }
  | { readonly kind: "broken"; readonly diagnostics: readonly Diagnostic[] };

/** Reports a violated rule. */
export type ReportMistake = (mistake: Mistake) => void;

/** Reads a file; `convert` reports rules beyond the shape. */
export function readYamlFile<T, R>(source: Source, shape: Shape<T>, convert: (read: T, report: ReportMistake) => R): ReadResult<R> {
  const diagnostics: Diagnostic[] = [];
  const documents = parseYaml(source, (diagnostic) => void diagnostics.push(withoutPolicyWords(diagnostic)));
  const [first, second] = documents;
  if (second !== undefined)
    diagnostics.push({
      code: "multiple-documents",
      severity: "error",
      source,
      focus: headOf(second),
      message: "a file can hold only one document of tests or fixtures",
      hint: "move what follows the `---` to a file of its own",
    });
  else if (first === undefined && diagnostics.length === 0)
    diagnostics.push({ code: "invalid-document", severity: "error", source, path: "$", message: "the file is empty" });
  // With several documents, the mistakes of each are reported together.
  const [value] = documents.map((document) => readDocument(document, shape, convert, (found) => void diagnostics.push(found)));
  const sorted = inOrder(diagnostics);
  if (first === undefined || value === undefined || sorted.some(isError)) return { kind: "broken", diagnostics: sorted };
  const warnings = [...sorted];
  reportAmbiguousValues(first, shape.form, (mistake) => void warnings.push({ severity: "warning", ...mistake }));
  return { kind: "good", value, warnings: inOrder(warnings) };
}

function readDocument<T, R>(
  document: MapNode,
  shape: Shape<T>,
  convert: (read: T, report: ReportMistake) => R,
  report: Report,
): R | undefined {
  const violations: Mistake[] = [];
  let isWhole = true;
  const parseError: ReportMistake = (mistake) => {
    isWhole = false;
    report({ severity: "error", ...mistake });
  };
  const violation: ReportMistake = (mistake) => void violations.push(mistake);
  const read = shape.read({ node: document, path: rootPath, at: document.token }, { parseError, violation });
  const value = read && convert(read, violation);
  // If something could not be read at all, violated rules are mostly consequences.
  if (isWhole) for (const mistake of violations) report({ severity: "error", ...mistake });
  return value;
}

/** Rewords a diagnostic of the YAML reader, which speaks of policies. */
function withoutPolicyWords({ hint, ...diagnostic }: Diagnostic): Diagnostic {
  if (diagnostic.message.startsWith("a policy ")) return { ...diagnostic, message: diagnostic.message.replace("a policy", "this file") };
  return hint === undefined ? diagnostic : { ...diagnostic, hint };
}
