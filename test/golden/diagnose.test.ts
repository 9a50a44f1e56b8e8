/** Every diagnostic has a folder in `golden/diagnose/` that shows it: policies, and what the compiler says of them. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { expect, test } from "vitest";
import type { Diagnostic } from "../../compiler/diagnostic.ts";
import { link } from "../../compiler/link/link.ts";
import { messages } from "../../compiler/messages.ts";
import { readPolicy } from "../../compiler/policy/read.ts";
import { printDiagnostics } from "../../compiler/print-diagnostics.ts";
import { validate } from "../../compiler/validate/index.ts";

const root = "golden/diagnose";
const folders = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

function diagnose(folder: string): readonly Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  const report = (diagnostic: Diagnostic): void => void diagnostics.push(diagnostic);
  const sources = readdirSync(folder).map((path) => ({ path, text: readFileSync(join(folder, path), "utf8") }));
  validate(
    link(
      sources.flatMap((source) => readPolicy(source, report) ?? []),
      report,
    ),
    report,
  );
  return diagnostics;
}

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
