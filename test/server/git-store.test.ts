/** A server whose policies come from a git repository: how it starts, follows, survives, and what it tells. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startGitServer, type GitServer } from "../git/server.ts";
import { eventually, startServer, type TestServer } from "./harness.ts";
import { brokenPolicy, closedPolicy, expensePolicy, request } from "./policies.ts";
import { runProgram } from "./process.ts";

let git: GitServer;
let cache: string;
let running: TestServer | undefined;
beforeEach(async () => {
  cache = mkdtempSync(join(tmpdir(), "authz-copy-"));
  git = await startGitServer({ files: { "policies/expense.yaml": expensePolicy } });
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
  await git.close();
  rmSync(cache, { recursive: true, force: true });
});

const settings = (more: { readonly [key: string]: string } = {}): { readonly [key: string]: string } => ({
  "storage.driver": "git",
  "storage.git.protocol": "http",
  "storage.git.url": git.url,
  "storage.git.subDir": "policies",
  "storage.git.https.username": git.username,
  "storage.git.https.password": git.password,
  "storage.git.checkoutDir": cache,
  "storage.git.updatePollInterval": "50ms",
  "storage.git.operationTimeout": "5s",
  ...more,
});
const start = async (more?: { readonly [key: string]: string }): Promise<TestServer> =>
  (running = await startServer({ policies: {}, settings: settings(more) }));
const effect = async (server: TestServer): Promise<string | undefined> =>
  (await server.post("/api/check/resources", request)).json.results[0].actions["view"];
const metric = async (server: TestServer, name: string): Promise<number> =>
  Number(new RegExp(`^authz_dev_store_${name}\\{driver="git"\\} (\\S+)$`, "m").exec((await server.get("/_authz/metrics")).text)?.[1]);

test("a commit is in force without a restart; a bad one harms nothing, and mending it is enough", async () => {
  const server = await start();
  expect(await effect(server)).toBe("EFFECT_ALLOW");
  await git.commit({ "policies/expense.yaml": closedPolicy });
  await eventually(
    () => effect(server),
    (now) => now === "EFFECT_DENY",
  );
  await git.commit({ "policies/expense.yaml": brokenPolicy });
  await eventually(
    () => metric(server, "sync_error_count"),
    (errors) => errors > 0,
  );
  expect(await effect(server)).toBe("EFFECT_DENY");
  expect(server.logged().some((line) => String(line["message"]).includes("the last good set keeps answering"))).toBe(true);
  await git.commit({ "policies/expense.yaml": expensePolicy });
  await eventually(
    () => effect(server),
    (now) => now === "EFFECT_ALLOW",
  );
});

test("metrics tell of polls, of failed ones and of the last good one; the log tells once, and never a password", async () => {
  const server = await start();
  const first = await metric(server, "poll_count");
  await eventually(
    () => metric(server, "poll_count"),
    (polls) => polls > first + 3,
  );
  expect(await metric(server, "sync_error_count")).toBe(0);
  const refreshed = await metric(server, "last_successful_refresh");
  expect(refreshed).toBeGreaterThan(Date.now() - 60_000);
  await git.setFault({ kind: "status", status: 401 });
  await eventually(
    () => metric(server, "sync_error_count"),
    (errors) => errors >= 3,
  );
  await git.setFault({ kind: "down" });
  const errors = await metric(server, "sync_error_count");
  await eventually(
    () => metric(server, "sync_error_count"),
    (now) => now > errors + 2,
  );
  expect((await server.get("/_authz/metrics")).text).toMatch(/seconds_since\S*\{driver="git"\} [^0]|since_agreement\S* [^0]/);
  expect((await server.get("/_authz/health")).status).toBe(200);
  await git.setFault({ kind: "none" });
  await git.commit({ "policies/expense.yaml": closedPolicy });
  await eventually(
    () => effect(server),
    (now) => now === "EFFECT_DENY",
  );
  const log = JSON.stringify(server.logged());
  expect(log.match(/the credentials are not accepted/g)).toHaveLength(1);
  expect(log.match(/ECONNREFUSED/g)?.length).toBe(1);
  expect(log).not.toContain("s3cr3t");
});

describe("a start without the remote", () => {
  test("serves the last good copy, says so once, and goes on by itself", async () => {
    await (await start()).stop();
    await git.setFault({ kind: "down" });
    const server = await start();
    expect(await effect(server)).toBe("EFFECT_ALLOW");
    await eventually(
      () => server.logged(),
      (lines) => lines.some((line) => String(line["message"]).includes("the copy of commit")),
    );
    await eventually(
      () => metric(server, "sync_error_count"),
      (errors) => errors > 2,
    );
    expect(server.logged().filter((line) => String(line["message"]).includes("the copy of commit"))).toHaveLength(1);
    await git.setFault({ kind: "none" });
    await git.commit({ "policies/expense.yaml": closedPolicy });
    await eventually(
      () => effect(server),
      (now) => now === "EFFECT_DENY",
    );
  });

  test.each([
    ["hangs", { kind: "hang" }, "there is no answer within 500ms"],
    ["is down", { kind: "down" }, "it cannot be reached (ECONNREFUSED)"],
    ["refuses", { kind: "status", status: 401 }, "the credentials are not accepted"],
  ] as const)("and without a copy ends with 1 and says why, when it %s", async (_, fault, message) => {
    await git.setFault(fault);
    const given = Object.entries(
      settings({ "storage.git.operationTimeout": "500ms", "server.httpListenAddr": "127.0.0.1:0", "server.grpcListenAddr": "127.0.0.1:0" }),
    );
    const { code, stdout, stderr } = await runProgram(["server", ...given.flatMap(([key, value]) => ["--set", `${key}=${value}`])]);
    expect([code, stdout + stderr]).toEqual([1, expect.stringContaining(message)]);
    expect(stdout + stderr).not.toContain("s3cr3t");
  });

  test("a broken policy in the repository ends with 1 and its place", async () => {
    await git.commit({ "policies/expense.yaml": brokenPolicy });
    const given = Object.entries(settings({ "server.httpListenAddr": "127.0.0.1:0", "server.grpcListenAddr": "127.0.0.1:0" }));
    const { code, stdout, stderr } = await runProgram(["server", ...given.flatMap(([key, value]) => ["--set", `${key}=${value}`])]);
    expect([code, stdout + stderr]).toEqual([1, expect.stringMatching(/expense\.yaml:\d+:\d+: error/)]);
  });
});
