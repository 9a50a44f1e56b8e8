/** Area inspect: what policies contain, from their sources alone, after compiling, and after building the table. */
import { stringify } from "yaml";
import type { Diagnostic } from "../../../compiler/diagnostic.ts";
import { inspectPolicies, inspectPolicySet, inspectTable, missingImports, type Inspection } from "../../../compiler/inspect/index.ts";
import { link } from "../../../compiler/link/link.ts";
import type { PolicyDocument } from "../../../compiler/policy/document.ts";
import { documentKey } from "../../../compiler/policy/names.ts";
import { readPolicy } from "../../../compiler/policy/read.ts";
import { lower } from "../../../compiler/table/lower.ts";
import type { Area } from "../area.ts";
import { expectSame, policyCases, problem, referenceOf } from "../policy-cases.ts";

type Results = { readonly [key: string]: unknown };

/** Errors of compiling, or of building the index, which our linker finds in one go. */
interface WantedErrors {
  readonly compileErrors?: {
    readonly compileErrors: readonly { readonly file: string; readonly error: string; readonly position?: { readonly path: string } }[];
  };
  readonly indexBuildErrors?: unknown;
}

interface Case {
  readonly inputs: readonly { readonly metadata: { readonly storeIdentifier: string } }[];
  readonly policiesExpectation: { readonly policies: Results; readonly missingPolicies?: readonly string[] };
  readonly policySetsExpectation: WantedErrors & { readonly policySets?: Results };
  readonly ruleTablesExpectation: WantedErrors & { readonly ruleTables?: Results };
}

export const inspect: Area = { name: "inspect", cases: (folder) => policyCases(folder, "inspect", run) };

function run({ inputs, policiesExpectation, policySetsExpectation, ruleTablesExpectation }: Case): void {
  const written = inputs.map((input) => readOne(input.metadata.storeIdentifier, input));
  expectResults("policies", inspectPolicies(written), policiesExpectation.policies);
  expectSame("missing policies", missingImports(written), policiesExpectation.missingPolicies ?? []);

  const errors: Diagnostic[] = [];
  const set = link(
    written.map((document, index) => readOne(`${documentKey(document)}.yaml`, inputs[index])),
    (diagnostic) => void (diagnostic.severity === "error" && errors.push(diagnostic)),
  );
  for (const [what, wanted, results, found] of [
    ["policy sets", policySetsExpectation, policySetsExpectation.policySets, () => inspectPolicySet(set)],
    ["rule tables", ruleTablesExpectation, ruleTablesExpectation.ruleTables, () => inspectTable(lower(set))],
  ] as const) {
    if (wanted.indexBuildErrors !== undefined) throw new Error("no case had errors of building an index when this was written");
    expectSame(
      `errors of ${what}`,
      errors.map((diagnostic) =>
        problem(fileOf(diagnostic), idOf(diagnostic), diagnostic.path === undefined ? undefined : { path: diagnostic.path }),
      ),
      (wanted.compileErrors?.compileErrors ?? []).map(({ file, error, position }) =>
        problem(file, error, position && { path: position.path }),
      ),
    );
    if (errors.length === 0) expectResults(what, found(), results ?? {});
  }
}

function readOne(path: string, input: unknown): PolicyDocument {
  const mistakes: Diagnostic[] = [];
  const document = readPolicy({ path, text: stringify(input) }, (diagnostic) => void mistakes.push(diagnostic));
  if (document === undefined || mistakes.length > 0)
    throw new Error(`${path} cannot be read: ${mistakes.map(({ message }) => message).join("; ")}`);
  return document;
}

const fileOf = ({ span, source }: Diagnostic): string => (span?.source ?? source)?.path ?? "-";

function idOf(diagnostic: Diagnostic): string {
  const reference = referenceOf(diagnostic);
  return (reference.stage !== "none" && "id" in reference ? reference.id : undefined) ?? diagnostic.code;
}

/** The order of the keys of an object means nothing; that of a list does. */
const expectResults = (what: string, found: Inspection, wanted: Results): void => expectSame(what, linesOf(found), linesOf(wanted));

const linesOf = (results: Results): readonly string[] =>
  Object.entries(results).map(([key, result]) => `${key} ${JSON.stringify(sortedKeys(result))}`);

function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, inner]) => [name, sortedKeys(inner)]),
  );
}
