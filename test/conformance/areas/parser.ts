/** Area parser: the text of a file, possibly several documents, read into policy messages. */
import type { Diagnostic } from "../../../compiler/diagnostic.ts";
import { referenceKind } from "../../../compiler/messages.ts";
import { messageOfDocument } from "../../../compiler/policy/message.ts";
import { parseYaml } from "../../../compiler/yaml/parse.ts";
import type { Area } from "../area.ts";
import { canonical, expectSame, policyCases, problem, problemOf } from "../policy-cases.ts";

interface Case {
  readonly input: string;
  readonly want: readonly { readonly message: unknown; readonly errors?: readonly unknown[] }[];
  readonly wantErrors: readonly {
    readonly kind?: string;
    readonly position?: { readonly line: number; readonly column: number; readonly path?: string };
  }[];
}

export const parser: Area = { name: "parser", cases: (folder) => policyCases(folder, "parser", run) };

function run({ input, want, wantErrors }: Case): void {
  const diagnostics: Diagnostic[] = [];
  const report = (diagnostic: Diagnostic): void => void diagnostics.push(diagnostic);
  const read = parseYaml({ path: "input", text: input }, report).map((document) => {
    const before = diagnostics.length;
    const message = messageOfDocument(document, report);
    return diagnostics.length > before ? undefined : message;
  });
  expectSame(
    "errors",
    diagnostics.map((diagnostic) => problemOf(diagnostic, referenceKind(diagnostic.code))),
    wantErrors.map((error) => problem(error.position ? "input" : "-", error.kind, error.position)),
  );
  // Of a document with errors the reference gives what it read before it stopped; we read on, so these are not compared.
  const found = read.filter((message) => message !== undefined).map((message) => JSON.stringify(canonical(message), undefined, 1));
  const wanted = want
    .filter((each) => (each.errors ?? []).length === 0)
    .map((each) => JSON.stringify(canonical(each.message), undefined, 1));
  if (found.join("\n") !== wanted.join("\n")) throw new Error(`messages\nfound:\n${found.join("\n")}\nwanted:\n${wanted.join("\n")}`);
}
