/** `docs/embedding.md`: every example runs, in the host that it is for, and says what it should. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { createContext, runInContext } from "node:vm";
import { buildSync } from "esbuild";
import { afterAll, describe, expect, test } from "vitest";
import { chromium, openPage } from "./browser.ts";
import { buildForTest, compiledFrom, textOf } from "./modules.ts";

const page = readFileSync("docs/embedding.md", "utf8");
const folder = mkdtempSync(join(tmpdir(), "authz-docs-"));
afterAll(() => rmSync(folder, { recursive: true }));
const examples = (host: string): readonly string[] =>
  Array.from(page.matchAll(new RegExp(`^\`\`\`js ${host}\n(.*?)^\`\`\`$`, "gms")), ([, code = ""]) => code);

cpSync("golden/tour/policies", join(folder, "policies"), { recursive: true });
const sources = ["expense.yaml", "expense_roles.yaml"].map((path) => ({
  path,
  text: readFileSync(join("golden/tour/policies", path), "utf8"),
}));
const moduleFor = async (target: "browser" | "worker"): Promise<string> =>
  textOf(await buildForTest(compiledFrom(sources).bundle, { target }));

test("at most 150 lines", () => {
  expect(page.trimEnd().split("\n").length).toBeLessThanOrEqual(150);
});

describe("in Node", () => {
  const says = [
    "true\nEFFECT_DENY resource.expense.vdefault [ 'owner' ]\n",
    "this cannot be decided: `principal.roles` must be a list with at least one role; `resource.id` must be a string: it is missing\n",
    "ann [ 'view' ] number 64\n",
  ];
  test("there are as many examples as answers", () => {
    expect(examples("node")).toHaveLength(says.length);
  });
  test.each(examples("node").map((code, at) => [at, code] as const))("example %i", (at, code) => {
    mkdirSync(join(folder, "node_modules"), { recursive: true });
    symlinkSync(resolve("."), join(folder, "node_modules/authz"), "dir");
    writeFileSync(join(folder, "example.mjs"), code);
    expect(execFileSync(process.execPath, ["example.mjs"], { cwd: folder, encoding: "utf8" })).toBe(says[at]);
    rmSync(join(folder, "node_modules/authz"));
  });
});

test(`in a browser${chromium === undefined ? ": NOT SHOWN HERE, no Chromium was found (CHROMIUM names one)" : ""}`, async () => {
  const [code = ""] = examples("browser");
  expect(code).not.toBe("");
  if (chromium === undefined) return;
  const files = new Map([
    ["/", `<!doctype html><script type="module" src="/page.js"></script>`],
    ["/page.js", code],
    ["/policies.js", await moduleFor("browser")],
  ]);
  expect(await openPage(chromium, files)).toContain("<body>true resource.expense.vdefault</body>");
});

describe("in an edge worker", () => {
  test.each([
    [
      { principal: { id: "ann", roles: ["employee"] }, resource: { kind: "expense", id: "1", attr: { owner: "ann" } }, actions: ["view"] },
      200,
      "EFFECT_ALLOW",
    ],
    [{ principal: { id: "ann", roles: ["employee"] }, resource: { kind: "expense", id: "1" }, actions: ["view"] }, 200, "EFFECT_DENY"],
    [{ actions: ["view"] }, 400, "`principal` must be an object"],
  ])("%#", async (asked, status, says) => {
    const [code = ""] = examples("worker");
    writeFileSync(join(folder, "worker.js"), code);
    writeFileSync(join(folder, "policies.js"), await moduleFor("worker"));
    const built = buildSync({ entryPoints: [join(folder, "worker.js")], bundle: true, write: false, format: "iife", globalName: "worker" });
    // What workers give their modules, of which the example takes these.
    const context = createContext({ Request, Response }, { codeGeneration: { strings: false, wasm: false } });
    runInContext(built.outputFiles[0]?.text ?? "", context);
    const request = new Request("https://edge.example/check", { method: "POST", body: JSON.stringify(asked) });
    const response = (await runInContext("worker.default", context).fetch(request)) as Response;
    expect([response.status, await response.text()]).toEqual([status, expect.stringContaining(says)]);
  });
});
