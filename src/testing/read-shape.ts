/** A text of one YAML document -> what a shape makes of it, or everything that is wrong with it. */
import { inOrder, type Diagnostic } from "../../compiler/diagnostic.ts";
import type { Source } from "../../compiler/source.ts";
import { headOf } from "../../compiler/yaml/node.ts";
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
  const violations: Diagnostic[] = [];
  const [document, second] = parseYaml(source, (diagnostic) => void diagnostics.push(notOfPolicies(diagnostic)));
  const parseError: Complain = (mistake) => void diagnostics.push({ severity: "error", ...mistake });
  const violation: Complain = (mistake) => void violations.push({ severity: "error", ...mistake });
  if (second !== undefined)
    parseError({
      code: "multiple-documents",
      source,
      focus: headOf(second),
      message: "a file can hold only one document of tests or fixtures",
    });
  else if (document === undefined && diagnostics.length === 0)
    parseError({ code: "invalid-document", source, path: "$", message: "the file is empty" });
  const read = document && shape.read({ node: document, path: rootPath, at: document.token }, { parseError, violation });
  const value = read && convert(read, violation);
  // Broken rules are mostly consequences where something could not be read at all.
  const said = inOrder(diagnostics.some(({ severity }) => severity === "error") ? diagnostics : [...diagnostics, ...violations]);
  if (document === undefined || value === undefined || said.some(({ severity }) => severity === "error"))
    return { kind: "broken", diagnostics: said };
  const warnings = [...said];
  reportAmbiguousValues(document, shape.form, (mistake) => void warnings.push({ severity: "warning", ...mistake }));
  return { kind: "good", value, warnings: inOrder(warnings) };
}

/** What reads YAML speaks of policies, and its hints are about them. */
function notOfPolicies({ hint, ...diagnostic }: Diagnostic): Diagnostic {
  if (diagnostic.message.startsWith("a policy ")) return { ...diagnostic, message: diagnostic.message.replace("a policy", "this file") };
  return hint === undefined ? diagnostic : { ...diagnostic, hint };
}
