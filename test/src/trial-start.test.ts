/** A server that can start no process takes no bundle in, and lives: an end that is meant for the trial must never meet it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { temporaryFolder } from "../server/harness.ts";

const root = join(import.meta.dirname, "..", "..");

const script = `import { openSync } from "node:fs";
import { openTrials } from "./src/trial/trial.ts";
const trials = openTrials();
try {
  for (;;) openSync("/dev/null", "r");
} catch {}
for (const prepared of [true, false]) {
  if (prepared) trials.prepare();
  await trials.tryOut("{}").catch((error) => console.log(error.message));
}
trials.close();
console.log("lives");
`;

test("no file can be opened any more", async () => {
  const outfile = join(temporaryFolder({ "package.json": '{"type":"module"}' }), "without-files.js");
  await build({
    stdin: { contents: script, resolveDir: root, loader: "ts" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    packages: "external",
    logLevel: "error",
    outfile,
  });
  // In a group of its own: what goes wrong here ends a whole group.
  const child = spawn("sh", ["-c", `ulimit -n 64; exec "$0" "$1"`, process.execPath, outfile], {
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (said += text));
  const [, signal] = await once(child, "close");
  const refused = "it cannot be tried, because no process can be started for it (EMFILE)\n";
  expect([said, signal]).toEqual([`${refused}${refused}lives\n`, null]);
});
