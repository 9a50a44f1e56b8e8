/** Every diagnostic has a folder in `golden/diagnose/` that shows it: policies, or a test suite beside them, and what is said of them. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import process from "node:process";
import { expect, test } from "vitest";
import type { Diagnostic } from "../../compiler/diagnostic.ts";
import { checkSchemas, type SchemaCheck } from "../../compiler/link/check-schemas.ts";
import { link } from "../../compiler/link/link.ts";
import { messages } from "../../compiler/messages.ts";
import { didYouMean } from "../../compiler/nearest.ts";
import { misplacedSchemas } from "../../compiler/policy/misplaced-schemas.ts";
import { isMisplacedSchemas, isPolicyPath } from "../../compiler/policy/paths.ts";
import { readPolicy } from "../../compiler/policy/read.ts";
import { printDiagnostics } from "../../compiler/print-diagnostics.ts";
import { validate } from "../../compiler/validate/index.ts";
import { planSuite, type Plan } from "../../src/testing/plan.ts";
import { readSuite } from "../../src/testing/read-suite.ts";

const root = "golden/diagnose";
const folders = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

function diagnose(folder: string): readonly Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  const report = (diagnostic: Diagnostic): void => void diagnostics.push(diagnostic);
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => ({
    path: relative(folder, join(entry.parentPath, entry.name)),
    isFolder: entry.isDirectory(),
  }));
  for (const { path, isFolder } of entries) if (isFolder && isMisplacedSchemas(path)) report(misplacedSchemas(path));
  const documents = entries
    .filter(({ path, isFolder }) => !isFolder && isPolicyPath(path))
    .flatMap(({ path }) => readPolicy({ path, text: readFileSync(join(folder, path), "utf8") }, report) ?? []);
  link(documents, report);
  checkSchemas(documents, schemasIn(join(folder, "_schemas")), report);
  validate(documents, diagnostics, report);
  for (const { path } of entries.filter((entry) => isSuitePath(entry.path))) {
    const read = readSuite({ path, text: readFileSync(join(folder, path), "utf8") });
    if (read.kind === "broken") diagnostics.push(...read.diagnostics);
    else diagnostics.push(...read.warnings, ...problemsOf(planSuite(read.value, read.value.fixtures)));
  }
  return diagnostics;
}

const problemsOf = (plan: Plan): readonly Diagnostic[] => (plan.kind === "wrong" ? plan.problems : []);

const isSuitePath = (path: string): boolean => /_test\.yaml$/.test(path);

/** The least that a store can know of its schemas: which there are, and that one is an object. */
const schemasIn = (folder: string): SchemaCheck => ({
  severity: "error",
  problemOf: (ref) => {
    const name = ref.replace("authz:///", "");
    const known = existsSync(folder) ? readdirSync(folder) : [];
    if (!known.includes(name)) return { message: `there is no \`_schemas/${name}\``, ...didYouMean(name, known) };
    return readFileSync(join(folder, name), "utf8").startsWith("{") ? undefined : { message: "it is not a JSON object" };
  },
});

test("every diagnostic has a folder, and every folder a diagnostic", () => {
  expect(folders.toSorted()).toEqual(Object.keys(messages).toSorted());
});

test.each(folders)("%s", (code) => {
  const diagnostics = diagnose(join(root, code, "policies"));
  expect(diagnostics.map((diagnostic) => diagnostic.code)).toContain(code);
  const printed = `${printDiagnostics(diagnostics)}\n`;
  const file = join(root, code, "expected.txt");
  if (process.env["AUTHZ_ACCEPT"] === "1") writeFileSync(file, printed);
  expect(existsSync(file), "npm run golden -- --accept writes it").toBe(true);
  expect(printed).toBe(readFileSync(file, "utf8"));
});
