/** Area index: a store of files, read and looked at as a whole. */
import { link, openLinker } from "../../../compiler/link/link.ts";
import type { Diagnostic } from "../../../compiler/diagnostic.ts";
import type { PolicySet } from "../../../compiler/link/policy-set.ts";
import { scopesAbove } from "../../../compiler/link/scope-tree.ts";
import { importedBy } from "../../../compiler/link/sources.ts";
import type { PolicyDocument } from "../../../compiler/policy/document.ts";
import { documentKey } from "../../../compiler/policy/names.ts";
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
    readonly disabledDefs?: readonly { readonly file: string; readonly position: Position }[];
    readonly missingScopeDetails?: readonly { readonly missingPolicy: string; readonly descendants: readonly string[] }[];
  };
  readonly wantCompilationUnits?: readonly Unit[];
}

interface Unit {
  readonly mainFqn: string;
  readonly definitionFqns: readonly string[];
  readonly ancestorFqns?: readonly string[];
}

export const policyIndex: Area = { name: "index", cases: (folder) => policyCases(folder, "index", run) };

function run({ files, want, wantErrList, wantCompilationUnits }: Case): void {
  const diagnostics: Diagnostic[] = [];
  const report = (diagnostic: Diagnostic): void => void diagnostics.push(diagnostic);
  const documents = Object.entries(files)
    .filter(([path]) => isPolicyPath(path))
    .map(([path, text]) => readPolicy({ path, text }, report))
    .filter((document) => document !== undefined);
  const set = link(documents, report);

  if (want === "success") {
    // What compiling would find is not this area's question.
    const errors = diagnostics.filter((diagnostic) => diagnostic.severity === "error" && referenceOf(diagnostic).stage !== "compile");
    expectSame(
      "errors",
      errors.map((diagnostic) => `${problemOf(diagnostic, diagnostic.code)} ${diagnostic.message}`),
      [],
    );
    if (wantCompilationUnits !== undefined) expectUnits(documents, set, wantCompilationUnits);
    return;
  }
  const found = diagnostics.flatMap((diagnostic) => {
    const reference = referenceOf(diagnostic);
    if (reference.stage === "load") return [`loadFailures ${problemOf(diagnostic, reference.kind ?? "")}`];
    if (reference.stage !== "index") return [];
    return [`${reference.kind} ${reference.kind === "missingScopeDetails" ? detailOf(diagnostic) : problemOf(diagnostic, "")}`];
  });
  expectSame("errors", found, [
    ...(wantErrList?.loadFailures ?? []).map(
      ({ file, errorDetails }) => `loadFailures ${problem(file, errorDetails.kind, errorDetails.position)}`,
    ),
    ...(wantErrList?.duplicateDefs ?? []).map(({ file, position }) => `duplicateDefs ${problem(file, "", position)}`),
    ...(wantErrList?.missingImports ?? []).map(({ importingFile, position }) => `missingImports ${problem(importingFile, "", position)}`),
    ...(wantErrList?.disabledDefs ?? []).map(({ file, position }) => `disabledDefs ${problem(file, "", position)}`),
    ...(wantErrList?.missingScopeDetails ?? []).map(
      ({ missingPolicy, descendants }) => `missingScopeDetails ${missingPolicy} ${descendants.length}`,
    ),
  ]);
}

/** Our message names the missing policy; its place and its notes are those that need it. */
const detailOf = ({ message, notes = [] }: Diagnostic): string => `${/`(.*?)`/.exec(message)?.[1] ?? ""} ${notes.length + 1}`;

/** Each unit is one policy, what it imports, and those above it. */
function expectUnits(documents: readonly PolicyDocument[], set: PolicySet, units: readonly Unit[]): void {
  const linker = openLinker(documents, () => undefined);
  const byKey = new Map(documents.map((document) => [documentKey(document), document]));
  const policies = [...set.resourcePolicies, ...set.principalPolicies, ...set.rolePolicies];
  const full = (key: string): string => `authz.${key}`;
  const found = policies.map(({ key, scope }) => {
    const ancestors = scopesAbove(scope).flatMap((above) => {
      const root = key.slice(0, scope === "" ? undefined : -scope.length - 1);
      const ancestor = above === "" ? root : `${root}/${above}`;
      return byKey.has(ancestor) ? [ancestor] : [];
    });
    const imported = [key, ...ancestors].flatMap((each) => {
      const document = byKey.get(each);
      if (document === undefined || !("variables" in document)) return [];
      return importedBy(document, linker).flatMap((set) => (set === undefined ? [] : [documentKey(set)]));
    });
    return JSON.stringify([full(key), [...new Set([key, ...ancestors, ...imported])].map(full).toSorted(), ancestors.map(full).toSorted()]);
  });
  const wanted = units.map(({ mainFqn, definitionFqns, ancestorFqns = [] }) =>
    JSON.stringify([mainFqn, definitionFqns.toSorted(), ancestorFqns.toSorted()]),
  );
  expectSame(
    "compilation units",
    found.filter((unit) => wanted.includes(unit)),
    wanted,
  );
}
