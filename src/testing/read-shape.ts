/** A text of one YAML document -> what a shape makes of it, or everything that is wrong with it. */
import { inOrder, isError, type Diagnostic, type Report } from "../../compiler/diagnostic.ts";
import type { Source } from "../../compiler/source.ts";
import { headOf, type MapNode } from "../../compiler/yaml/node.ts";
import { parseYaml } from "../../compiler/yaml/parse.ts";
import { rootPath } from "../../compiler/yaml/path.ts";
import type { Mistake, Shape } from "../../compiler/yaml/shape.ts";
import { reportAmbiguousValues } from "./ambiguous.ts";

/** What came of reading a text. */
export type Reading<T> =
  | { readonly kind: "good"; readonly value: T; readonly warnings: readonly Diagnostic[] }
  | { readonly kind: "broken"; readonly diagnostics: readonly Diagnostic[] };

/** Where broken rules are noted. */
export type Complain = (mistake: Mistake) => void;

/** Reads a text; `convert` notes what the shape does not know of. */
export function readShape<T, R>(source: Source, shape: Shape<T>, convert: (read: T, complain: Complain) => R): Reading<R> {
  const diagnostics: Diagnostic[] = [];
  const documents = parseYaml(source, (diagnostic) => void diagnostics.push(notOfPolicies(diagnostic)));
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
  // What is wrong with each would else be told one file after the other.
  const [value] = documents.map((document) => readDocument(document, shape, convert, (found) => void diagnostics.push(found)));
  const said = inOrder(diagnostics);
  if (first === undefined || value === undefined || said.some(isError)) return { kind: "broken", diagnostics: said };
  const warnings = [...said];
  reportAmbiguousValues(first, shape.form, (mistake) => void warnings.push({ severity: "warning", ...mistake }));
  return { kind: "good", value, warnings: inOrder(warnings) };
}

function readDocument<T, R>(
  document: MapNode,
  shape: Shape<T>,
  convert: (read: T, complain: Complain) => R,
  report: Report,
): R | undefined {
  const violations: Mistake[] = [];
  let isWhole = true;
  const parseError: Complain = (mistake) => {
    isWhole = false;
    report({ severity: "error", ...mistake });
  };
  const violation: Complain = (mistake) => void violations.push(mistake);
  const read = shape.read({ node: document, path: rootPath, at: document.token }, { parseError, violation });
  const value = read && convert(read, violation);
  // Broken rules are mostly consequences where something could not be read at all.
  if (isWhole) for (const mistake of violations) report({ severity: "error", ...mistake });
  return value;
}

/** What reads YAML speaks of policies, and its hints are about them. */
function notOfPolicies({ hint, ...diagnostic }: Diagnostic): Diagnostic {
  if (diagnostic.message.startsWith("a policy ")) return { ...diagnostic, message: diagnostic.message.replace("a policy", "this file") };
  return hint === undefined ? diagnostic : { ...diagnostic, hint };
}
