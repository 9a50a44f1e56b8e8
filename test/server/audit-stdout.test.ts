/** The audit log and the log of the program on one pipe: no line of either is ever torn by the other. */
import { expect, onTestFinished, test } from "vitest";
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
