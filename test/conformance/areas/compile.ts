/** Area compile: one policy with its imports and ancestors, compiled. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkSchemas, type SchemaCheck } from "../../../compiler/link/check-schemas.ts";
import { link } from "../../../compiler/link/link.ts";
import type { Diagnostic } from "../../../compiler/diagnostic.ts";
import type { DerivedRole, PolicySet, ResourcePolicy } from "../../../compiler/link/policy-set.ts";
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
  readonly schemaDir: string;
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

export const compile: Area = { name: "compile", cases: (folder) => policyCases(folder, "compile", (wanted: Case) => run(folder, wanted)) };

function run(folder: string, { files, schemaDir, mainDef, want, wantErrors, wantVariables }: Case): void {
  const diagnostics: Diagnostic[] = [];
  const report = (diagnostic: Diagnostic): void => void (diagnostic.severity === "error" && diagnostics.push(diagnostic));
  const documents = Object.entries(files)
    .filter(([path]) => isPolicyPath(path))
    .map(([path, text]) => readPolicy({ path, text }, report))
    .filter((document) => document !== undefined);
  const set = link(documents, report);
  checkSchemas(documents, schemasIn(join(folder, schemaDir, "_schemas")), report);

  expectSame(
    "errors",
    problemsOf(diagnostics, mainDef),
    want === "success" ? [] : (wantErrors ?? []).map(({ file, error, position }) => problem(file, error, position)),
  );
  if (wantVariables === undefined) return;
  expectSame(
    "variables",
    policiesOf(set, mainDef).map(usesOf),
    wantVariables.map(({ scope, derivedRoles, ...use }) =>
      describe(
        scope ?? "",
        use,
        (derivedRoles ?? []).map((role) => describe(role.name, role, [])),
      ),
    ),
  );
}

/** What a store of the data says of its schemas. Whether a document is a good schema is the question of area schema. */
const schemasIn = (folder: string): SchemaCheck => ({
  severity: "error",
  problemOf: (ref) => {
    const file = join(folder, ref.replace(/^authz:\/\/\//, ""));
    if (!existsSync(file)) return { message: "it does not exist" };
    try {
      JSON.parse(readFileSync(file, "utf8"));
      return undefined;
    } catch {
      return { message: "it is not JSON" };
    }
  },
});

/** The problems of one policy: the reference names an ancestor that is missing once for each descendant, and looks no higher than an ancestor that does not compile. */
function problemsOf(diagnostics: readonly Diagnostic[], mainDef: string): readonly string[] {
  const needsAncestor = ({ code, source, notes = [] }: Diagnostic): boolean =>
    code === "missing-ancestor" && [source, ...notes.map(({ span }) => span.source)].some((needy) => needy?.path === mainDef);
  const others = diagnostics.filter(({ code }) => code !== "missing-ancestor");
  return others.length > 0
    ? others.map((diagnostic) => problemOf(diagnostic, errorId(diagnostic)))
    : diagnostics.filter(needsAncestor).map((diagnostic) => problem(mainDef, errorId(diagnostic), undefined));
}

function errorId(diagnostic: Diagnostic): string {
  const reference = referenceOf(diagnostic);
  return (reference.stage === "none" ? undefined : "id" in reference ? reference.id : undefined) ?? diagnostic.code;
}

type Policy = Pick<ResourcePolicy, "scope" | "constants" | "variables" | "key" | "span"> & {
  readonly derivedRoles?: readonly DerivedRole[];
};

/** The policy of a file, and its ancestors. */
function policiesOf({ resourcePolicies, principalPolicies, rolePolicies }: PolicySet, mainDef: string): readonly Policy[] {
  const all: readonly Policy[] = [...resourcePolicies, ...principalPolicies, ...rolePolicies];
  const main = all.find((policy) => policy.span.source.path === mainDef);
  if (main === undefined) throw new Error(`there is no policy in ${mainDef}`);
  return all.filter(
    ({ key, scope }) =>
      key.split("/")[0] === main.key.split("/")[0] && (scope === "" || main.scope === scope || main.scope.startsWith(`${scope}.`)),
  );
}

const usesOf = (policy: Policy): string =>
  describe(
    policy.scope,
    namesOf(policy),
    (policy.derivedRoles ?? []).map((role) => describe(role.name, namesOf(role), [])),
  );

const namesOf = ({ constants, variables }: Pick<ResourcePolicy, "constants" | "variables">): Use => ({
  constants: constants.map(({ name }) => name),
  variables: variables.map(({ name }) => name),
});

const describe = (name: string, use: Use, inner: readonly string[]): string =>
  JSON.stringify([name, use.constants?.toSorted() ?? [], use.variables?.toSorted() ?? [], inner.toSorted()]);
