/** Area index: a store of files, read and looked at as a whole. */
import { link } from "../../../compiler/link/link.ts";
import type { Diagnostic } from "../../../compiler/diagnostic.ts";
import { isPolicyPath } from "../../../compiler/policy/paths.ts";
import { readPolicy } from "../../../compiler/policy/read.ts";
import type { Area } from "../area.ts";
import { expectSame, policyCases, problem, problemOf, referenceOf } from "../policy-cases.ts";

interface Position {
  readonly line: number;
  readonly column: number;
  readonly path?: string;
}

interface Case {
  readonly files: { readonly [path: string]: string };
  readonly want: "error_list" | "error" | "success";
  readonly wantErrList?: {
    readonly loadFailures?: readonly {
      readonly file: string;
      readonly errorDetails: { readonly kind?: string; readonly position?: Position };
    }[];
    readonly duplicateDefs?: readonly { readonly file: string; readonly position: Position }[];
    readonly missingImports?: readonly { readonly importingFile: string; readonly position: Position }[];
    readonly disabledDefs?: readonly unknown[];
    readonly missingScopeDetails?: readonly unknown[];
  };
  readonly wantCompilationUnits?: readonly unknown[];
}

export const policyIndex: Area = { name: "index", cases: (folder) => policyCases(folder, "index", run) };

function run({ files, want, wantErrList, wantCompilationUnits }: Case): void {
  const diagnostics: Diagnostic[] = [];
  const report = (diagnostic: Diagnostic): void => void (diagnostic.severity === "error" && diagnostics.push(diagnostic));
  const documents = Object.entries(files)
    .filter(([path]) => isPolicyPath(path))
    .map(([path, text]) => readPolicy({ path, text }, report))
    .filter((document) => document !== undefined);
  link(documents, report);

  if (want === "success") {
    // What compiling would find is not this area's question.
    const errors = diagnostics.filter((diagnostic) => referenceOf(diagnostic).stage !== "compile");
    expectSame(
      "errors",
      errors.map((diagnostic) => `${problemOf(diagnostic, diagnostic.code)} ${diagnostic.message}`),
      [],
    );
    if (wantCompilationUnits !== undefined) throw new Error("compilation units with their ancestors are not built yet");
    return;
  }
  const found = diagnostics.flatMap((diagnostic) => {
    const reference = referenceOf(diagnostic);
    if (reference.stage === "load") return [`loadFailures ${problemOf(diagnostic, reference.kind ?? "")}`];
    return reference.stage === "index" ? [`${reference.kind} ${problemOf(diagnostic, "")}`] : [];
  });
  expectSame("errors", found, [
    ...(wantErrList?.loadFailures ?? []).map(
      ({ file, errorDetails }) => `loadFailures ${problem(file, errorDetails.kind, errorDetails.position)}`,
    ),
    ...(wantErrList?.duplicateDefs ?? []).map(({ file, position }) => `duplicateDefs ${problem(file, "", position)}`),
    ...(wantErrList?.missingImports ?? []).map(({ importingFile, position }) => `missingImports ${problem(importingFile, "", position)}`),
    ...(wantErrList?.disabledDefs ?? []).map((definition) => `disabledDefs ${JSON.stringify(definition)}`),
    ...(wantErrList?.missingScopeDetails ?? []).map((detail) => `missingScopeDetails ${JSON.stringify(detail)}`),
  ]);
}
