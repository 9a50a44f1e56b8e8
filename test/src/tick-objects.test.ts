/** `process.nextTick` of a server stays compiled by V8's optimising compiler when garbage is collected while no tick waits. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventually, temporaryFolder } from "../server/harness.ts";
import { expensePolicy } from "../server/policies.ts";
import { main } from "../server/process.ts";

/** Upon a signal: ticks until they are optimised, full collections, and a word on standard output. */
const onSignal = `
const { setImmediate: turn } = require("node:timers/promises");
const isOptimised = () => (%GetOptimizationStatus(process.nextTick) & 16) !== 0;
const tick = async (times) => {
  for (let n = 0; n < times; n++) process.nextTick(() => undefined);
  await turn();
};
process.on("SIGUSR2", async () => {
  for (let turns = 0; turns < 4000; turns++) await tick(50);
  const before = isOptimised();
  for (let n = 0; n < 10; n++) {
    gc();
    await turn();
  }
  await tick(1); // code that no longer holds is given up when it is called
  process._rawDebug("optimised before: " + before + ", after: " + isOptimised());
});`;

/** Starts a program with the above loaded first, and signals it when it says that it is ready. */
async function askAfterCollections(programArguments: readonly string[], ready: string): Promise<string> {
  const folder = temporaryFolder({ "on-signal.cjs": onSignal });
  const nodeOptions = ["--allow-natives-syntax", "--expose-gc", "--require", join(folder, "on-signal.cjs")];
  const child = spawn(process.execPath, [...nodeOptions, ...programArguments], { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text: string) => void (said += text));
  const told = (): string => said;
  await eventually(told, (text) => text.includes(ready));
  child.kill("SIGUSR2");
  await eventually(told, (text) => text.includes("after:"));
  child.kill("SIGKILL");
  return /optimised before.*/.exec(said)?.[0] ?? said;
}

test("in a server", async () => {
  const settings = {
    "server.workers": 1,
    "server.httpListenAddr": "127.0.0.1:0",
    "server.grpcListenAddr": "127.0.0.1:0",
    "storage.disk.directory": temporaryFolder({ "expense.yaml": expensePolicy }),
  };
  const words = ["server", ...Object.entries(settings).map(([key, value]) => `--set=${key}=${value}`)];
  expect(await askAfterCollections([main, ...words], "gRPC is served")).toBe("optimised before: true, after: true");
});

test("but not in a program that does nothing for it", async () => {
  const program = "setInterval(() => undefined, 1000); console.log('ready')";
  const folder = temporaryFolder({ "program.cjs": program });
  expect(await askAfterCollections([join(folder, "program.cjs")], "ready")).toBe("optimised before: true, after: false");
});
