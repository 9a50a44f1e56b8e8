/** Every bench that needs nothing beside the project runs in a form of seconds, prints its table, and writes its figures. Their times are not looked at. */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

interface Written {
  readonly bench: string;
  readonly quick: boolean;
  readonly figures: object;
  readonly goals: readonly { readonly name: string }[];
}

test.concurrent.each<[command: string, prints: RegExp, goals: number]>([
  ["decide", /^compiled policies +1 +\S+/m, 5],
  ["boundary", /^text to text, in the realm +\S+/m, 1],
  ["cel thrice", /^one attribute, thrice/m, 0],
  ["compile", /^from YAML to ready +\S+ +\(read/m, 3],
  ["compile-cel", /^new process +\S+/m, 1],
  ["server", /^HTTP CPU us\/req +\S+ +\S+ +\S+/m, 0],
  ["workers", /^HTTP +two servers +\S+/m, 1],
  ["memory", /^at the end +\S+/m, 4],
  ["scale --sets=different", /^different +1 +9 +7 of 7/m, 2],
  ["features --modes=off,all", /^all +\S+ +\S+ +\S+/m, 2],
  ["start", /^signed bundle +\S+ +\S+/m, 12],
  ["profile", /^realm: decide +\S+/m, 0],
  ["audit", /^ {2}rotation, decisions: 300 calls, 300 lines/m, 5],
  ["drain", /^1 +\d+ +\d+ +\d+ +\d+ +\d+ ms/m, 2],
])(
  "npm run bench -- %s --quick",
  async (command, prints, goals) => {
    const folder = mkdtempSync(join(tmpdir(), "authz-bench-"));
    try {
      const file = join(folder, "figures.json");
      const { stdout } = await promisify(execFile)(process.execPath, ["bench/run.mjs", ...command.split(" "), "--quick", `--json=${file}`]);
      expect(stdout).toMatch(prints);
      const written: Written = JSON.parse(readFileSync(file, "utf8"));
      expect(written).toMatchObject({ bench: command.split(" ")[0], quick: true });
      expect(written.goals.length).toBeGreaterThanOrEqual(goals);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
  120_000,
);

test("a name that is no bench is told, with those that are", async () => {
  const run = promisify(execFile)(process.execPath, ["bench/run.mjs", "nothing"]);
  await expect(run).rejects.toMatchObject({ code: 2, stderr: expect.stringMatching(/choose one of: .*decide.*server/) });
});
