/** The engine is told to optimise later by a word that not every one of them knows: nobody but the engine is to hear of it. */
import { expect, test } from "vitest";
import { eventually, temporaryFolder } from "../server/harness.ts";
import { expensePolicy } from "../server/policies.ts";
import { runProgram, startProgram } from "../server/process.ts";

const folder = temporaryFolder({ "expense.yaml": expensePolicy });

test("a folder that compiles is told of in one line, and nothing else is said", async () => {
  expect(await runProgram(["compile", folder])).toMatchObject({ code: 0, stderr: "" });
});

test("a server that starts writes its log alone", async () => {
  const addresses = ["server.httpListenAddr=127.0.0.1:0", "server.grpcListenAddr=127.0.0.1:0"];
  const server = startProgram(["server", ...[`storage.disk.directory=${folder}`, ...addresses].map((setting) => `--set=${setting}`)]);
  await eventually(
    () => server.output().stdout,
    (log) => log.includes("gRPC is served"),
  );
  server.process.kill("SIGTERM");
  expect(await server.exited).toMatchObject({ code: 0, stderr: "" });
});
