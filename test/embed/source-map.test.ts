/** `authz build --source-map` and `--types`: what stands beside a module. */
import { cpSync, readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "../../src/cli/index.ts";
import { mapLines } from "../../src/embed/source-map.ts";
import { temporaryFolder } from "../server/harness.ts";
import { errorsOf } from "../types/compiler.ts";

const sample = "golden/tour/policies";

async function authz(...argv: readonly string[]) {
  let [out, err] = ["", ""];
  const code = await run([...argv], {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    terminal: false,
    environment: {},
  });
  return { code, out, err };
}

async function build(name: string, ...flags: readonly string[]): Promise<string> {
  const file = join(temporaryFolder({}), name);
  const { code, err } = await authz("build", sample, "-o", file, "--target", "worker", ...flags);
  expect([code, err]).toEqual([0, ""]);
  return file;
}

describe("a source map", () => {
  test("leads from code to the rules and derived roles that it was made of", async () => {
    const file = await build("m.mjs", "--source-map");
    const text = readFileSync(file, "utf8");
    const payload = JSON.parse(readFileSync(`${file}.map`, "utf8")) as SourceMapPayload;
    expect(payload).toMatchObject({ version: 3, file: "m.mjs", sources: ["expense.yaml", "expense_roles.yaml"], names: [] });
    const map = new SourceMap(payload);
    const lines = text.split("\n");
    const placeOf = (snippet: RegExp): string => {
      const line = lines.findIndex((each) => snippet.test(each));
      const entry = map.findEntry(line, lines[line]?.search(snippet) ?? -1);
      return "originalSource" in entry ? `${entry.originalSource}:${entry.originalLine + 1}:${entry.originalColumn + 1}` : "nowhere";
    };
    // `typeof x == "number"` is how an amount is compared.
    expect(placeOf(/\w+=\w+=>\{let \w+;return typeof\(/)).toBe("expense.yaml:30:7");
    expect(placeOf(/\w+=\w+=>\w+\(\w+\.R\)===\w+\.principal\.id/)).toBe("expense_roles.yaml:6:7");
    const known = readFileSync(join(sample, "expense.yaml"), "utf8").split("\n");
    for (const line of [15, 20, 25, 30, 41, 49]) expect(known[line - 1]).toMatch(/^ {4}- /);
  });

  test("counts UTF-16 units, as those who read maps do, where messages count characters", () => {
    const source = { path: "a.json", text: '["\u{1F642}", 1]' };
    const { comment } = mapLines([{ source, start: source.text.indexOf("1"), end: source.text.length }]);
    const payload = JSON.parse(Buffer.from(comment.slice(comment.indexOf(",") + 1), "base64").toString()) as SourceMapPayload;
    expect(new SourceMap(payload).findEntry(0, 0)).toMatchObject({ originalLine: 0, originalColumn: source.text.indexOf("1") });
  });

  test("changes nothing in the module but its last line, and is the same from another path", async () => {
    const [plain, mapped] = [await build("m.mjs"), await build("m.mjs", "--source-map")];
    expect(readFileSync(mapped, "utf8")).toBe(`${readFileSync(plain, "utf8")}//# sourceMappingURL=m.mjs.map\n`);
    const elsewhere = temporaryFolder({});
    cpSync(sample, join(elsewhere, "deep/p"), { recursive: true });
    const file = join(elsewhere, "m.mjs");
    await authz("build", join(elsewhere, "deep/p"), "-o", file, "--target", "worker", "--source-map");
    for (const ending of ["", ".map"]) expect(readFileSync(file + ending).equals(readFileSync(mapped + ending))).toBe(true);
    expect(readFileSync(`${file}.map`, "utf8").length).toBeLessThan(1000);
  });
});

describe("declarations", () => {
  test("stand where TypeScript looks for them", async () => {
    const [mjs, js] = [await build("m.mjs", "--types"), await build("m.js", "--types")];
    const text = readFileSync(join(dirname(mjs), "m.d.mts"), "utf8");
    expect(text).toContain('export declare const check: import("authz").Door<Policies>["check"];');
    expect(readFileSync(join(dirname(js), "m.d.ts"), "utf8")).toBe(text);
  });

  test("make wrong words fail, and right ones not", async () => {
    const text = readFileSync(join(dirname(await build("m.mjs", "--types")), "m.d.mts"), "utf8");
    const door = `import("${join(process.cwd(), "src/embed/door.ts")}")`;
    const program = [
      'import { check, isAllowed, manifest, open } from "./policies.js";',
      'const ann = { id: "ann", roles: ["employee"] } as const;',
      'isAllowed(ann, { kind: "expense", id: "1" }, "view") satisfies boolean;',
      'check({ principal: ann, resource: { kind: "expense", id: "1" }, actions: ["approve"] }).actions.approve.effect satisfies string;',
      'open({ onDecision: () => undefined }).isAllowed(ann, { kind: "expense", id: "1" }, "view"); manifest.policySet satisfies string;',
      'isAllowed(ann, { kind: "expanse", id: "1" }, "view");',
      'isAllowed(ann, { kind: "expense", id: "1" }, "veiw");',
      'isAllowed({ id: "ann", roles: ["boss"] }, { kind: "expense", id: "1" }, "view");',
      'check({ principal: ann, resource: { kind: "expense", id: "1" }, actions: ["approve"] }).actions.view.effects;',
      "manifest.policyset;",
    ];
    const errors = errorsOf(text.replaceAll('import("authz")', door), program.join("\n")).filter((error) => !error.includes("node:"));
    expect(errors.map((error) => error.split(":")[0])).toEqual(["6", "7", "8", "9", "10"]);
  });

  test.each([
    [
      "beside what TypeScript does not know",
      ["-o", "x.cjs", "--target", "node", "--types"],
      "TypeScript finds them only beside .js and .mjs",
    ],
    ["of a bundle for servers", ["-o", "x.mjs", "--types"], "--source-map and --types are for modules"],
  ])("refused: %s", async (_sentence, flags, says) => {
    expect(await authz("build", sample, ...flags)).toMatchObject({ code: 1, err: expect.stringContaining(says) });
  });
});
