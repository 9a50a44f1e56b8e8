/** A folder -> its suites, each with the fixtures that lie beside it in `testdata` (semantics 9.1). */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { printDiagnostic } from "../../compiler/print-diagnostics.ts";
import type { Source } from "../../compiler/source.ts";
import { byUnits } from "../../runtime/order.ts";
import { codeOf, refusal } from "../refusal.ts";
import { fixturesOver } from "./matrix.ts";
import type { Reading } from "./read-shape.ts";
import { readFixtures, readSuite } from "./read-suite.ts";
import type { FoundSuite } from "./run.ts";
import { noFixtures, type Fixtures } from "./suite.ts";

/** Finds and reads the suites of a folder, in the order of their paths. Rejects, with a refusal, when there is no such folder. */
export async function findSuites(directory: string): Promise<readonly FoundSuite[]> {
  const files = (await suiteFiles(directory, "")).toSorted(byUnits);
  const fixtures = new Map<string, Promise<Reading<Fixtures>>>();
  const fixturesBeside = (file: string): Promise<Reading<Fixtures>> => {
    const folder = file.slice(0, file.lastIndexOf("/") + 1);
    const read = fixtures.get(folder) ?? readFolder(directory, `${folder}testdata`);
    fixtures.set(folder, read);
    return read;
  };
  return Promise.all(files.map(async (file) => read(await sourceAt(directory, file), await fixturesBeside(file))));
}

function read(source: Source | string, fixtures: Reading<Fixtures>): FoundSuite {
  if (typeof source === "string")
    return { kind: "broken", file: source, name: "Unknown", description: "", error: `${source}: the file is not UTF-8 text` };
  const file = source.path;
  const suite = readSuite(source);
  if (suite.kind === "broken") return { kind: "broken", file, name: "Unknown", description: "", error: printed(suite) };
  const { name, description } = suite.value;
  if (fixtures.kind === "broken" && suite.value.skip === undefined)
    return { kind: "broken", file, name, description, error: printed(fixtures) };
  return { kind: "suite", file, suite: suite.value, folder: fixtures.kind === "good" ? fixtures.value : noFixtures };
}

const printed = ({ diagnostics }: Extract<Reading<unknown>, { kind: "broken" }>): string => diagnostics.map(printDiagnostic).join("\n\n");

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

const fixtureNames = [["principals"], ["resources"], ["auxdata", "auxData", "aux_data"]] as const;
const endings = ["yaml", "yml", "json"] as const;

async function readFolder(directory: string, folder: string): Promise<Reading<Fixtures>> {
  const there = new Set(await readdir(join(directory, folder)).catch(() => []));
  let all: Fixtures = noFixtures;
  const diagnostics: Extract<Reading<Fixtures>, { kind: "broken" }>["diagnostics"][number][] = [];
  for (const names of fixtureNames) {
    const file = names.flatMap((name) => endings.map((ending) => `${name}.${ending}`)).find((name) => there.has(name));
    if (file === undefined) continue;
    const source = await sourceAt(directory, `${folder}/${file}`);
    const one = typeof source === "string" ? undefined : readFixtures(source);
    if (one === undefined)
      diagnostics.push({ code: "invalid-document", severity: "error", message: `${folder}/${file} is not UTF-8 text` });
    else if (one.kind === "broken") diagnostics.push(...one.diagnostics);
    else all = fixturesOver(one.value, all);
  }
  return diagnostics.length > 0 ? { kind: "broken", diagnostics } : { kind: "good", value: all };
}

/** Returns the path alone when the file is not UTF-8 text. */
async function sourceAt(directory: string, path: string): Promise<Source | string> {
  const bytes = await readFile(join(directory, path));
  try {
    return { path, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return path;
  }
}
