/** The examples of docs/administration.md are true: its commands, run in their order against a server, print what it shows. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { runAside } from "../server/run-aside.ts";
import { administrator, startAdministered } from "../src/ctl-harness.ts";
import { routes } from "../../src/server/calls/routes.ts";

const text = readFileSync("docs/administration.md", "utf8");
const examples = [...text.matchAll(/^```console\n(.*?)^```$/gms)].flatMap(([, block = ""]) =>
  block
    .split(/^\$ /m)
    .slice(1)
    .map((example) => {
      const [command = "", ...shown] = example.split("\n");
      return { command, shown: shown.join("\n") };
    }),
);

const credentials = Object.entries(administrator)
  .map(([name, value]) => `${name}=${value}`)
  .join(" ");

test("every command prints what is shown", async () => {
  const server = await startAdministered();
  const empty = await startAdministered();
  const run = async (command: string): Promise<string> => {
    // The command that fails is of a server that has no policies yet.
    const asked = command === "authzctl put policy golden/tour/policies/expense.yaml" ? empty : server;
    if (command.startsWith("authzctl ")) {
      const { out, err } = await asked.ctl(command.split(" ").slice(1));
      return out + err;
    }
    const { stdout } = await runAside("sh", ["-c", `${credentials}; ${command.replace("http://localhost:3592", server.http)}`]);
    return `${stdout.trimEnd()}\n`;
  };
  try {
    for (const { command, shown } of examples) expect([command, await run(command)]).toEqual([command, shown]);
    expect(examples.length).toBeGreaterThan(8);
  } finally {
    await Promise.all([server.stop(), empty.stop()]);
  }
});

test("every route that it names is there", () => {
  const named = [...text.matchAll(/\/admin\/[a-z/]+(?=[?`" ])/g)].map(([path]) => path);
  // The list of audit entries is a stream, and no row of the table.
  const known = new Set([...routes.map(({ path }) => path), "/admin/auditlog/list/"]);
  expect(named.length).toBeGreaterThan(12);
  expect(named.filter((path) => !known.has(path))).toEqual([]);
});
