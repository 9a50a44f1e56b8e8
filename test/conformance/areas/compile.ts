/** Area compile: one policy with its imports, compiled. */
import { link } from "../../../compiler/link/link.ts";
import type { Diagnostic } from "../../../compiler/diagnostic.ts";
import type { ResourcePolicy } from "../../../compiler/link/policy-set.ts";
import { isPolicyPath } from "../../../compiler/policy/paths.ts";
import { readPolicy } from "../../../compiler/policy/read.ts";
import type { Area } from "../area.ts";
import { expectSame, policyCases, problem, problemOf, referenceOf } from "../policy-cases.ts";

interface Use {
  readonly constants?: readonly string[];
  readonly variables?: readonly string[];
}

interface Case {
  readonly files: { readonly [path: string]: string };
  readonly mainDef: string;
  readonly want: "success" | "errors";
  readonly wantErrors?: readonly {
    readonly file: string;
    readonly error: string;
    readonly position?: { readonly line: number; readonly column: number; readonly path: string };
  }[];
  readonly wantVariables?: readonly (Use & {
    readonly scope?: string;
    readonly derivedRoles?: readonly (Use & { readonly name: string })[];
  })[];
}

export const compile: Area = { name: "compile", cases: (folder) => policyCases(folder, "compile", run) };

function run({ files, mainDef, want, wantErrors, wantVariables }: Case): void {
  const diagnostics: Diagnostic[] = [];
  const report = (diagnostic: Diagnostic): void => void (diagnostic.severity === "error" && diagnostics.push(diagnostic));
  const documents = Object.entries(files)
    .filter(([path]) => isPolicyPath(path))
    .map(([path, text]) => readPolicy({ path, text }, report))
    .filter((document) => document !== undefined);
  const { resourcePolicies } = link(documents, report);

  expectSame(
    "errors",
    diagnostics.map((diagnostic) => problemOf(diagnostic, errorId(diagnostic))),
    want === "success" ? [] : (wantErrors ?? []).map(({ file, error, position }) => problem(file, error, position)),
  );
  if (wantVariables === undefined) return;
  const policies = resourcePolicies.filter((policy) => policy.span.source.path === mainDef || want === "success");
  expectSame(
    "variables",
    policies.map(usesOf),
    wantVariables.map(({ scope, derivedRoles, ...use }) =>
      describe(
        scope ?? "",
        use,
        (derivedRoles ?? []).map((role) => describe(role.name, role, [])),
      ),
    ),
  );
}

function errorId(diagnostic: Diagnostic): string {
  const reference = referenceOf(diagnostic);
  return (reference.stage === "none" ? undefined : "id" in reference ? reference.id : undefined) ?? diagnostic.code;
}

const usesOf = (policy: ResourcePolicy): string =>
  describe(
    policy.scope,
    namesOf(policy),
    policy.derivedRoles.map((role) => describe(role.name, namesOf(role), [])),
  );

const namesOf = ({ constants, variables }: Pick<ResourcePolicy, "constants" | "variables">): Use => ({
  constants: constants.map(({ name }) => name),
  variables: variables.map(({ name }) => name),
});

const describe = (name: string, use: Use, inner: readonly string[]): string =>
  JSON.stringify([name, use.constants?.toSorted() ?? [], use.variables?.toSorted() ?? [], inner.toSorted()]);
