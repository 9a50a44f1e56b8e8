/** A full disk under the audit file: decisions go on, and with room again the record has all of them. */
import { execFileSync, spawn } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { folder, parseLines } from "../src/audit-harness.ts";
import { eventually, temporaryFolder } from "./harness.ts";
import { expensePolicy, request } from "./policies.ts";
import { main } from "./process.ts";

const json = { "content-type": "application/json" };

const sentence = "while the disk is full decisions go on, errors are counted, and with room again nothing is missing";
test.each([1, 2])(`${sentence} (processes: %d)`, async (workers) => {
  const path = join(folder(), "audit.log");
  const directory = temporaryFolder({ "expense.yaml": expensePolicy });
  // The system's limit on the size of a file stands for the end of the disk: it writes what fits and refuses the rest.
  const sets = {
    "storage.disk.directory": directory,
    "server.workers": workers,
    "server.httpListenAddr": "127.0.0.1:0",
    "server.grpcListenAddr": "127.0.0.1:0",
    "audit.enabled": true,
    "audit.file.path": path,
  };
  const child = spawn(
    "prlimit",
    ["--fsize=100000:unlimited", process.execPath, main, "server", ...Object.entries(sets).map(([key, value]) => `--set=${key}=${value}`)],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  let logged = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (logged += text));
  await eventually(
    () => logged,
    (text) => text.includes("HTTP is served at"),
  );
  const base = `http://${/HTTP is served at ([\d.:]+)/.exec(logged)?.[1]}`;
  const ids: string[] = [];
  // What the system refuses in the middle of a line is taken back a moment later.
  const lines = async () =>
    parseLines(
      await eventually(
        () => readFileSync(path, "utf8"),
        (text) => text.endsWith("\n"),
      ),
    );
  const ask = async (times: number): Promise<void> => {
    for (let count = 0; count < times; count++) {
      const answer = await fetch(`${base}/api/check/resources`, { method: "POST", headers: json, body: JSON.stringify(request) });
      ids.push(((await answer.json()) as { readonly authzCallId: string }).authzCallId);
    }
  };

  await ask(200);
  await eventually(
    async () => (await fetch(`${base}/_authz/metrics`)).text(),
    (text) => /^authz_dev_audit_error_count\{kind="decision"\} [1-9]/m.test(text),
  );
  // No half line stays, however long it lasts.
  expect(statSync(path).size).toBeGreaterThan(90_000);
  const whole = (await lines()).length;
  await ask(50);
  expect(await lines()).toHaveLength(whole);

  execFileSync("prlimit", ["--pid", String(child.pid), "--fsize=unlimited:unlimited"]);
  await ask(50);
  await eventually(
    async () => (await lines()).length,
    (count) => count === 2 * ids.length,
  );
  const recorded = (await lines()).filter((line) => line["log.kind"] === "decision").map(({ callId }) => callId);
  // Entries of several processes come in the order of their arrival.
  if (workers === 1) expect(recorded).toEqual(ids);
  else expect(recorded.toSorted()).toEqual(ids.toSorted());
});
