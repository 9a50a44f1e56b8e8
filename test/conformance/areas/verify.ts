/** Area verify: a policy author's test suites, run on the policies of a store. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parse, stringify } from "yaml";
import { compile } from "../../../compiler/index.ts";
import { policyKey } from "../../../compiler/policy/names.ts";
import { evaluateInThisRealm, load, type Loaded } from "../../../runtime/load.ts";
import { digest } from "../../../src/texts/digest.ts";
import { openDiskStore } from "../../../src/store/disk.ts";
import { findSuites } from "../../../src/testing/find-suites.ts";
import { expandTable, type Test } from "../../../src/testing/matrix.ts";
import { readFixtures, readSuite } from "../../../src/testing/read-suite.ts";
import { printJunit } from "../../../src/testing/reports/junit.ts";
import { runSuites, type RunOptions } from "../../../src/testing/run.ts";
import type { RunResult } from "../../../src/testing/result.ts";
import type { Area } from "../area.ts";
import { canonical, policyCases } from "../policy-cases.ts";

interface Case {
  readonly store: string;
  readonly files: { readonly [path: string]: string };
  readonly runStoreTests?: boolean;
  readonly config?: {
    readonly includedTestNamesRegexp?: string;
    readonly excludedResourcePolicyFqns?: readonly string[];
    readonly excludedPrincipalPolicyFqns?: readonly string[];
  };
  readonly want?: RunResult;
  readonly wantOverallResult?: string;
  readonly wantXml?: string;
  readonly fixtures?: string;
  readonly table?: object;
  readonly wantTests?: readonly WantedTest[];
  readonly wantErr?: string;
}

interface WantedTest {
  readonly name: { readonly principalKey: string; readonly resourceKey: string };
  readonly input: object;
  readonly expected: object;
}

export const verify: Area = {
  name: "verify",
  cases: (folder) => {
    const stores = new Map<string, Promise<Loaded>>();
    const storeNamed = (name: string): Promise<Loaded> => {
      const opened = stores.get(name) ?? openStore(join(folder, name));
      stores.set(name, opened);
      return opened;
    };
    return policyCases(folder, "verify", async (wanted: Case) => {
      if (wanted.table !== undefined) return checkTests(folder, wanted);
      const result = await runFiles(wanted, join(folder, wanted.store), await storeNamed(wanted.store));
      if (wanted.wantOverallResult !== undefined) expectSame("overall", result.summary.overallResult, wanted.wantOverallResult);
      if (wanted.want !== undefined) expectSame("results", canonical(told(result)), canonical(told(wanted.want)));
      if (wanted.wantXml !== undefined)
        expectSame("xml", withoutSentences(printJunit(result, { isVerbose: true })), withoutSentences(wanted.wantXml));
    });
  },
};

async function openStore(directory: string): Promise<Loaded> {
  if (!existsSync(directory)) throw new Error(`there is no store at ${directory}`);
  const store = openDiskStore({ directory });
  const { changed } = await store.read();
  await store.close();
  const { compiled, diagnostics } = compile(changed, { digest });
  if (compiled === undefined) throw new Error(`the store does not compile: ${diagnostics.map(({ message }) => message).join("; ")}`);
  return load(compiled.bundle, evaluateInThisRealm);
}

async function runFiles(wanted: Case, store: string, evaluator: Loaded): Promise<RunResult> {
  if (wanted.runStoreTests === true) return runSuites(await findSuites(store), { evaluator });
  const folder = mkdtempSync(join(tmpdir(), "authz-verify-"));
  try {
    for (const [path, text] of Object.entries(wanted.files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return runSuites(await findSuites(folder), { evaluator, skip: skipOf(wanted.config ?? {}) });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function skipOf({
  includedTestNamesRegexp: included,
  excludedResourcePolicyFqns: resources = [],
  excludedPrincipalPolicyFqns: principals = [],
}: NonNullable<Case["config"]>): NonNullable<RunOptions["skip"]> {
  return (test, { test: name }, options) => {
    if (included !== undefined && !new RegExp(included).test(name)) return { reason: "not included" };
    if (test === undefined) return undefined;
    const { resource, principal } = test;
    const version = (given: string | undefined): string => given ?? options.defaultPolicyVersion;
    const excluded =
      resources.includes(`authz.${policyKey("resource", resource.kind, version(resource.policyVersion), resource.scope ?? "")}`) ||
      principals.includes(`authz.${policyKey("principal", principal.id, version(principal.policyVersion), principal.scope ?? "")}`);
    return excluded ? { reason: "excluded" } : undefined;
  };
}

function checkTests(folder: string, { fixtures: path = "", table = {}, wantTests = [], wantErr = "" }: Case): void {
  const fixtures = readFixtures({ path, text: stringify(namedGroups(parse(readFileSync(join(folder, path), "utf8")))) });
  const suite = readSuite({ path: "suite", text: stringify({ name: "suite", tests: [table] }) });
  if (fixtures.kind === "broken") throw new Error(fixtures.diagnostics.map(({ message }) => message).join("; "));
  if (suite.kind === "broken") throw new Error(suite.diagnostics.map(({ message }) => message).join("; "));
  const [read] = suite.value.tables;
  if (read === undefined) throw new Error("a suite has the table that it was given");
  const matrix = expandTable(read, fixtures.value);
  expectSame("an error", matrix.kind === "wrong", wantErr !== "");
  if (matrix.kind === "tests") expectSame("tests", canonical(matrix.tests.map(testTold)), canonical(wantTests.map(wantedTold)));
}

/** The data's fixtures list the members of a group without the field that a file has. */
function namedGroups(fixtures: { readonly principalGroups: object; readonly resourceGroups: object }): object {
  const named = (groups: object, field: string): object =>
    Object.fromEntries(Object.entries(groups).map(([name, members]) => [name, { [field]: members }]));
  return {
    ...fixtures,
    principalGroups: named(fixtures.principalGroups, "principals"),
    resourceGroups: named(fixtures.resourceGroups, "resources"),
  };
}

const testTold = ({ principalName, resourceName, principal, resource, actions, auxData, effects, outputs }: Test): object => ({
  name: { principalKey: principalName, resourceKey: resourceName },
  input: { principal, resource, actions, auxData },
  expected: Object.fromEntries(effects),
  expectedOutputs: Object.fromEntries([...outputs].map(([action, entries]) => [action, { entries: Object.fromEntries(entries) }])),
});

const wantedTold = ({ name: { principalKey, resourceKey }, ...rest }: WantedTest): object => {
  const { description: _said, ...wanted } = { description: "", ...rest };
  return { ...wanted, name: { principalKey, resourceKey } };
};

/** Of errors and of reasons only that there is one. */
const told = (result: RunResult): unknown =>
  JSON.parse(JSON.stringify(result), (name, value: unknown) =>
    (name === "error" || name === "skipReason") && typeof value === "string" ? (value === "" ? "" : "said") : value,
  );

/** Drops what is said in words: messages, and what stands in errors and failures. */
const withoutSentences = (xml: string): string =>
  xml
    .replaceAll(/<!\[CDATA\[(.*?)\]\]>/gs, (_all, text: string) =>
      text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
    )
    .replaceAll(/ message="[^"]*"/g, "")
    .replaceAll(/<error([^>]*)>[^<]*<\/error>/g, "<error$1></error>")
    .replaceAll(
      /(?<=<output [^>]*>\s*<expected>[^<]*<\/expected>\s*<actual>)(?:the output's expression failed|Failed to evaluate output expression): [^<]*/g,
      "failed",
    )
    .replaceAll(/<property name="([^"]*)">/g, '<property name="$1">')
    .replaceAll(/>\s+</g, "><")
    .trim();

function expectSame(what: string, found: unknown, wanted: unknown): void {
  const [left, right] = [JSON.stringify(found, undefined, 1), JSON.stringify(wanted, undefined, 1)];
  if (left !== right) throw new Error(`${what}\nfound:\n${left}\nwanted:\n${right}`);
}
