/** Finds the test suites of a directory, each with the fixtures in `testdata` beside it (docs/testing.md). */
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Diagnostic } from "../../compiler/diagnostic.ts";
import { printDiagnostic } from "../../compiler/print-diagnostics.ts";
import type { Source } from "../../compiler/source.ts";
import { byUnits } from "../../runtime/order.ts";
import { codeOf, refusal } from "../refusal.ts";
import { mergeFixtures } from "./matrix.ts";
import type { ReadResult } from "./read-yaml-file.ts";
import { readFixtures, readSuite } from "./read-suite.ts";
import type { FoundSuite } from "./run.ts";
import { noFixtures, type Fixtures } from "./suite.ts";

/** Finds and reads the suites of a directory, in the order of their paths. Rejects with a refusal when there is no such directory. */
export async function findSuites(directory: string): Promise<readonly FoundSuite[]> {
  const files = (await suiteFiles(directory, "")).toSorted(byUnits);
  const fixtures = new Map<string, Promise<ReadResult<Fixtures>>>();
  const fixturesBeside = (file: string): Promise<ReadResult<Fixtures>> => {
    const folder = file.slice(0, file.lastIndexOf("/") + 1);
    const read = fixtures.get(folder) ?? readFolder(directory, `${folder}testdata`);
    fixtures.set(folder, read);
    return read;
  };
  // One after the other: a process may not have thousands of files open.
  const found: FoundSuite[] = [];
  for (const file of files) found.push(read(file, await sourceAt(directory, file), await fixturesBeside(file)));
  return found;
}

function read(file: string, source: ReadResult<Source>, fixtures: ReadResult<Fixtures>): FoundSuite {
  const suite = source.kind === "good" ? readSuite(source.value) : source;
  if (suite.kind === "broken") return { kind: "broken", file, name: "Unknown", description: "", error: printErrors(suite) };
  const { name, description } = suite.value;
  if (fixtures.kind === "broken" && suite.value.skip === undefined)
    return { kind: "broken", file, name, description, error: printErrors(fixtures) };
  const folder = fixtures.kind === "good" ? fixtures : { value: noFixtures, warnings: [] };
  return { kind: "suite", file, suite: suite.value, folder: folder.value, warnings: [...suite.warnings, ...folder.warnings] };
}

const printErrors = ({ diagnostics }: Extract<ReadResult<unknown>, { kind: "broken" }>): string =>
  diagnostics.map(printDiagnostic).join("\n\n");

async function suiteFiles(directory: string, folder: string): Promise<readonly string[]> {
  const entries = await readdir(join(directory, folder), { withFileTypes: true }).catch((error: unknown) => {
    throw refusal(`the folder \`${join(directory, folder)}\` cannot be read (${codeOf(error) ?? "unknown error"})`);
  });
  const found = await Promise.all(
    entries.map(async (entry): Promise<readonly string[]> => {
      const { name } = entry;
      const path = `${folder}${name}`;
      if (name.startsWith(".")) return [];
      if (entry.isDirectory()) return name === "testdata" ? [] : suiteFiles(directory, `${path}/`);
      return /_test\.(?:ya?ml|json)$/i.test(name) ? [path] : [];
    }),
  );
  return found.flat();
}

/** The names of fixture files; the first that exists is used. */
const fixtureNames = [["principals"], ["resources"], ["auxdata", "auxData", "aux_data"]] as const;

/** Returns the first file with a name, whatever the case of its extension, as the reference does. */
const firstNamed = (name: string, there: readonly string[]): string | undefined =>
  there.toSorted(byUnits).find((file) => file.startsWith(`${name}.`) && /^(?:ya?ml|json)$/i.test(file.slice(name.length + 1)));

async function readFolder(directory: string, folder: string): Promise<ReadResult<Fixtures>> {
  const diagnostics: Diagnostic[] = [];
  const found = await readdir(join(directory, folder)).catch((error: unknown) => {
    if (!["ENOENT", "ENOTDIR"].includes(codeOf(error) ?? "")) diagnostics.push(unreadable(folder, error));
    return [];
  });
  const warnings: Diagnostic[] = [];
  let all: Fixtures = noFixtures;
  for (const names of fixtureNames) {
    const [file] = names.flatMap((name) => firstNamed(name, found) ?? []);
    if (file === undefined) continue;
    const source = await sourceAt(directory, `${folder}/${file}`);
    const one = source.kind === "good" ? readFixtures(source.value) : source;
    if (one.kind === "broken") diagnostics.push(...one.diagnostics);
    else {
      all = mergeFixtures(one.value, all);
      warnings.push(...one.warnings);
    }
  }
  return diagnostics.length > 0 ? { kind: "broken", diagnostics } : { kind: "good", value: all, warnings };
}

async function sourceAt(directory: string, path: string): Promise<ReadResult<Source>> {
  try {
    const file = join(directory, path);
    const found = await stat(file);
    // A pipe without a writer would be waited for without end.
    if (!found.isFile() && !found.isDirectory())
      return { kind: "broken", diagnostics: [unreadableBecause(path, "it is a pipe, a socket or a device, and no file")] };
    const bytes = await readFile(file);
    return { kind: "good", value: { path, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) }, warnings: [] };
  } catch (error) {
    return { kind: "broken", diagnostics: [unreadable(path, error)] };
  }
}

const reasons: { readonly [code: string]: string } = {
  ENOENT: "the link leads nowhere", // The name exists, so it is a link.
  ELOOP: "the link leads back to itself",
  EISDIR: "there is a folder of this name",
  EACCES: "permission denied",
  ERR_ENCODING_INVALID_ENCODED_DATA: "it is not UTF-8 text",
};

function unreadable(path: string, error: unknown): Diagnostic {
  const code = codeOf(error) ?? "unknown error";
  const reason = Object.hasOwn(reasons, code) ? reasons[code] : undefined;
  return unreadableBecause(path, reason ?? code);
}

const unreadableBecause = (path: string, reason: string): Diagnostic => ({
  code: "invalid-document",
  severity: "error",
  source: { path, text: "" },
  message: `this cannot be read: ${reason}`,
});
