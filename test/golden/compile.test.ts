/** Every folder of `golden/compile` shows policies, the rows they become, and the program that answers for them. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, expect, it } from "vitest";
import { compile } from "../../compiler/index.ts";
import { printTable } from "../../compiler/table/print.ts";
import { readConstant } from "../../runtime/constant.ts";
import { emitted } from "../../runtime/emitted/index.ts";
import { evaluateInThisRealm } from "../../runtime/load.ts";
import { expectSameTokens, sharingTwins } from "../compiler/emit/tokens.ts";

const root = "golden/compile";
const folders = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

function compiledIn(folder: string) {
  const policies = join(root, folder, "policies");
  const sources = readdirSync(policies).map((path) => ({ path, text: readFileSync(join(policies, path), "utf8") }));
  const { compiled, diagnostics } = compile(sources, { digest: (text) => createHash("sha256").update(text).digest("hex") });
  if (compiled === undefined) throw new Error(`${folder}: ${diagnostics.map((diagnostic) => diagnostic.message).join("; ")}`);
  return compiled;
}

function expectFile(folder: string, name: string, printed: string): void {
  const file = join(root, folder, name);
  if (process.env["AUTHZ_ACCEPT"] === "1") writeFileSync(file, printed);
  expect(existsSync(file), "npm run golden -- --accept writes it").toBe(true);
  expect(printed).toBe(readFileSync(file, "utf8"));
}

describe.each(folders)("%s", (folder) => {
  const { table, modules } = compiledIn(folder);

  it("gives these rows", () => {
    expectFile(folder, "table.txt", printTable(table));
  });

  it("gives this program", () => {
    expectFile(folder, "unit.js", modules.map((module) => module.readable()).join("\n"));
  });

  it("gives the machine the same tokens, with names, constants and what stands there twice taken out", () => {
    for (const { readable, text, unit } of modules) {
      expectSameTokens(sharingTwins(readable()), text, unit.constants.map(readConstant));
      expect(text).not.toMatch(/\/\/|\/\*/);
    }
  });

  it("is a program in both prints", () => {
    for (const { readable, text, unit } of modules) {
      for (const program of [readable(), text]) {
        const factory = evaluateInThisRealm(program) as (rt: object, k: readonly unknown[]) => { readonly scopes: readonly unknown[] };
        expect(factory(emitted, unit.constants.map(readConstant)).scopes).toHaveLength(unit.scopes.length);
      }
    }
  });
});
