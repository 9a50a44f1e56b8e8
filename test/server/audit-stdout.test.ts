/** The audit log and the log of the program on one pipe: no line of either is ever torn by the other. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, openSync, readSync } from "node:fs";
import { request as requestHttp } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { codeOf } from "../../src/refusal.ts";
import { eventually, temporaryFolder } from "./harness.ts";
import { expensePolicy, request } from "./policies.ts";
import { startProgram } from "./process.ts";

test.each([
  ["stdout", "stdout"],
  ["its path", "/dev/stdout"],
])(
  "lines longer than a pipe takes at once stay whole beside the log's, however slowly they are read, under %s",
  async (_name, path) => {
    const directory = temporaryFolder({ "expense.yaml": expensePolicy });
    const sets = {
      "storage.disk.directory": directory,
      "server.httpListenAddr": "127.0.0.1:0",
      "server.grpcListenAddr": "127.0.0.1:0",
      "audit.enabled": true,
      "audit.file.path": path,
    };
    const run = startProgram(["server", ...Object.entries(sets).map(([key, value]) => `--set=${key}=${value}`)]);
    onTestFinished(() => void run.process.kill("SIGKILL"));
    await eventually(
      () => run.output().stdout,
      (text) => text.includes("HTTP is served at"),
    );
    const address = /HTTP is served at ([\d.:]+)/.exec(run.output().stdout)?.[1];
    const { stdout } = run.process;
    stdout?.on("data", () => {
      stdout.pause();
      setTimeout(() => stdout.resume(), 2);
    });
    const body = JSON.stringify({ ...request, principal: { ...request.principal, attr: { text: "x".repeat(5000) } } });
    const ids: string[] = [];
    const work = async (): Promise<void> => {
      for (let count = 0; count < 40; count++) {
        const answer = await fetch(`http://${address}/api/check/resources`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body,
        });
        ids.push(((await answer.json()) as { readonly authzCallId: string }).authzCallId);
      }
    };
    await Promise.all(Array.from({ length: 12 }, work));
    run.process.kill("SIGTERM");
    const { stdout: text } = await run.exited;
    const lines = text
      .split("\n")
      .slice(0, -1)
      .map((line): { readonly "log.kind"?: string; readonly callId?: string } => JSON.parse(line));
    expect(
      lines
        .filter((line) => line["log.kind"] === "decision")
        .map(({ callId = "" }) => callId)
        .toSorted(),
    ).toEqual(ids.toSorted());
  },
  60_000,
);

test.each<[what: string, workers: number, reads: string, lost: boolean]>([
  ["waits for a reader that is behind, and loses nothing", 1, "read line; exec cat <&3", false],
  ["of several processes waits for a reader that is behind, and loses nothing", 2, "read line; exec cat <&3", false],
  ["says what it lost to a reader that never came", 1, "exec sleep 60", true],
])(
  "an end %s",
  async (_what, workers, reads, lost) => {
    const inside = temporaryFolder({ "policies/expense.yaml": expensePolicy });
    const [pipe, http] = [join(inside, "pipe"), join(inside, "http.sock")];
    execFileSync("mkfifo", [pipe]);
    // What tells the reader to begin comes by its standard input, what it reads by another descriptor.
    const reader = spawn("sh", ["-c", `exec 3< "${pipe}"; ${reads}`], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    onTestFinished(() => void reader.kill("SIGKILL"));
    let text = "";
    reader.stdout.setEncoding("utf8").on("data", (part: string) => void (text += part));
    const read = once(reader, "close");
    const writing = openSync(pipe, "w");
    const sets = {
      "storage.disk.directory": join(inside, "policies"),
      "server.workers": workers,
      "server.httpListenAddr": `unix:${http}`,
      "server.grpcListenAddr": `unix:${join(inside, "grpc.sock")}`,
      "audit.enabled": true,
      "audit.file.path": "stdout",
    };
    const run = startProgram(["server", ...Object.entries(sets).map(([key, value]) => `--set=${key}=${value}`)], { stdout: writing });
    closeSync(writing);
    onTestFinished(() => void run.process.kill("SIGKILL"));
    const asked = 150;
    const ask = (): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const headers = { "content-type": "application/json" };
        const sent = requestHttp({ socketPath: http, path: "/api/check/resources", method: "POST", headers }, (response) =>
          response.resume().once("end", () => resolve(response.statusCode)),
        );
        sent.once("error", reject).end(JSON.stringify(request));
      });
    await eventually(
      () => ask().catch(() => undefined),
      (status) => status === 200,
    );
    for (let count = 1; count < asked; count++) await ask();
    run.process.kill("SIGTERM");
    if (!lost) setTimeout(() => reader.stdin.end("read\n"), 500);
    const { code, stderr } = await run.exited;
    if (lost) reader.kill("SIGKILL");
    await read;
    const written = text.split("\n").filter((line) => line.includes('"log.kind":"decision"')).length;
    expect([code, written, text.includes("shutdown complete")]).toEqual([0, lost ? 0 : asked, !lost]);
    if (lost) expect(stderr).toMatch(/[1-9]\d* audit entries were lost: stdout did not accept them before the server stopped/);
    else expect(stderr).toBe("");
  },
  60_000,
);

test("a reader that is gone ends the log, which leaves the pipe to the audit log and its next reader", async () => {
  const inside = temporaryFolder({ "policies/expense.yaml": expensePolicy });
  const [pipe, http] = [join(inside, "pipe"), join(inside, "http.sock")];
  execFileSync("mkfifo", [pipe]);
  const read = constants.O_RDONLY | constants.O_NONBLOCK;
  const first = openSync(pipe, read);
  const writing = openSync(pipe, "w");
  const sets = {
    "storage.disk.directory": join(inside, "policies"),
    "server.httpListenAddr": `unix:${http}`,
    "server.grpcListenAddr": `unix:${join(inside, "grpc.sock")}`,
    "audit.enabled": true,
    "audit.file.path": "stdout",
  };
  const run = startProgram(["server", ...Object.entries(sets).map(([key, value]) => `--set=${key}=${value}`)], { stdout: writing });
  onTestFinished(() => void run.process.kill("SIGKILL"));
  closeSync(writing);
  const ask = (): Promise<string> =>
    new Promise((resolve, reject) => {
      const headers = { "content-type": "application/json" };
      const sent = requestHttp({ socketPath: http, path: "/api/check/resources", method: "POST", headers }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => void (text += part));
        response.once("end", () => resolve((JSON.parse(text) as { readonly authzCallId: string }).authzCallId));
      });
      sent.once("error", reject).end(JSON.stringify(request));
    });
  await eventually(
    () => ask().catch(() => undefined),
    (id) => id !== undefined,
  );
  closeSync(first);
  await eventually(
    async () => {
      await ask(); // logs a line
      return run.output().stderr;
    },
    (text) => text.includes("the log cannot be written to standard output (EPIPE): lines are dropped"),
  );
  const second = openSync(pipe, read);
  onTestFinished(() => closeSync(second));
  const id = await ask();
  let seen = "";
  const room = Buffer.alloc(2 ** 16);
  await eventually(
    () => {
      try {
        seen += room.toString("utf8", 0, readSync(second, room));
      } catch (error) {
        if (codeOf(error) !== "EAGAIN") throw error;
      }
      return seen;
    },
    (text) => text.includes(`"log.kind":"decision","callId":"${id}"`),
  );
  run.process.kill("SIGTERM");
  expect((await run.exited).code).toBe(0);
});
