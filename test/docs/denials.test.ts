/**
 * `docs/denials.md` tells the truth: its console answers as it shows, a decision entry of a server's audit log leads to the same, and its
 * program prints what it shows.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { expect, onTestFinished, test } from "vitest";
import { run } from "../../src/cli/index.ts";
import { startServer, temporaryFolder } from "../server/harness.ts";
import { runSession } from "../src/repl-harness.ts";

const page = readFileSync("docs/denials.md", "utf8");
const [, policies = "", request = ""] = /repl --policies (\S+) --request (\S+)/.exec(page) ?? [];
const sessions = [...page.matchAll(/^```console\n(.*?)^```$/gms)].map(([, text]) => text ?? "").join("");

test("its console answers as it shows", async () => {
  const typed = [...sessions.matchAll(/^authz> (.*)$/gm)].map(([, line]) => line ?? "");
  expect(typed.length).toBeGreaterThan(10);
  const files = Object.fromEntries(
    readdirSync(policies).map((name) => [`${policies}/${name}`, readFileSync(`${policies}/${name}`, "utf8")]),
  );
  const setting = { request: JSON.parse(readFileSync(request, "utf8")), files, width: 120 };
  let [lines, before, shown] = [[`:load ${policies}`], "", ""];
  before = (await runSession(lines.join("\n"), setting)).out;
  for (const line of typed) {
    lines = [...lines, line];
    const { out, err } = await runSession(lines.join("\n"), setting);
    expect(err).toBe("");
    shown += `authz> ${line}\n${out.slice(before.length)}`;
    before = out;
  }
  expect(shown).toBe(sessions);
});

test("the entry of a check in the audit log leads to the same, at the time of the decision", async () => {
  const folder = temporaryFolder({});
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const log = join(folder, "audit.log");
  const server = await startServer({ policies, settings: { "audit.enabled": true, "audit.backend": "file", "audit.file.path": log } });
  const { json } = await server.post("/api/check/resources", readFileSync(request, "utf8"));
  await server.stop();
  const lines = readFileSync(log, "utf8").split("\n");
  const [entry = "", ...more] = lines.filter((line) => line.includes(json.authzCallId ?? "?") && line.includes('"log.kind":"decision"'));
  expect(more).toEqual([]);
  writeFileSync(join(folder, "entry.json"), `${entry}\n`);

  let [out, err] = ["", ""];
  const code = await run(
    ["repl", `--policies=${policies}`, `--request=${join(folder, "entry.json")}`, "-e", ":resource 2", "-e", ":check", "-e", ":now"],
    { out: (text) => void (out += text), err: (text) => void (err += text), terminal: false, environment: {} },
  );
  expect([code, err]).toEqual([0, ""]);
  const { timestamp }: { readonly timestamp: string } = JSON.parse(entry);
  const [, approve = ""] = /^authz> :check approve\n(.*?)^authz>/ms.exec(sessions) ?? [];
  expect(approve).toContain("nobody-approves-their-own");
  expect(out).toContain(approve);
  expect(out).toContain("edit: EFFECT_ALLOW");
  const [, stopped = ""] = /^timestamp\("(.*)"\)$/m.exec(out) ?? [];
  expect(Date.parse(stopped)).toBe(Date.parse(timestamp)); // CEL leaves out zeros at the end of a fraction
});

test("its program prints what it shows", () => {
  const [, program = "", printed = ""] = /^```js\n(.*?)^```\n\n```text\n(.*?)^```$/ms.exec(page) ?? [];
  expect(program).not.toBe("");
  const folder = temporaryFolder({ "example.mjs": program });
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(policies, join(folder, "policies"), { recursive: true });
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(resolve("."), join(folder, "node_modules/authz"), "dir");
  expect(execFileSync(process.execPath, ["example.mjs"], { cwd: folder, encoding: "utf8" })).toBe(printed);
});
