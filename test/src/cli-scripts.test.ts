/** The built scripts: the commands in them are those of the sources, and the engine takes what it compiled when they were built. */
import { execFileSync } from "node:child_process";
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { authoringCommands } from "../../src/cli/authoring-commands.ts";
import { isAuthoring } from "../../src/cli/authoring-names.ts";
import { run } from "../../src/cli/index.ts";
import { main } from "../server/process.ts";

describe("each prints the help that the sources print", () => {
  test.each(Object.keys(authoringCommands))("%s", async (name) => {
    let printed = "";
    const print = (text: string): void => void (printed += text);
    await run([name, "--help"], { out: print, err: print, terminal: false, environment: {} });
    expect(printed).toContain(`Usage: authz ${name}`);
    expect(execFileSync(process.execPath, [main, name, "--help"], { encoding: "utf8" })).toBe(printed);
  });
});

test.each<[sentence: string, argument: string | undefined, isOne: boolean]>([
  ["a command with a script of its own", "compile", true],
  ["another command", "server", false],
  ["a member of every object", "constructor", false],
  ["nothing", undefined, false],
])("%s", (_sentence, argument, isOne) => {
  expect(isAuthoring(argument)).toBe(isOne);
});

describe("the engine takes what it compiled at the build", () => {
  const [major = 0] = process.versions.node.split(".").map(Number);
  // As `compile-thread.ts` and `live.ts` have set them when the thread starts.
  const flagsOfThread = [...(major <= 22 ? ["--no-memory-reducer"] : []), ...(major <= 20 ? ["--interrupt-budget=600000"] : [])];
  test.each<[name: string, flags: readonly string[], isTaken: boolean]>([
    ["server-script", [], true],
    ["authoring-script", [], true],
    ["compile-script", flagsOfThread, true],
    ["server-script", ["--stack-size=500"], false], // so the engine is asked at all
  ])("%s, with the flags %j: %s", (name, flags, isTaken) => {
    const ask = `
      const { readFileSync } = require("node:fs");
      const [name, flags] = JSON.parse(process.argv[1]);
      for (const flag of flags) require("node:v8").setFlagsFromString(flag);
      const text = readFileSync(name + ".cjs", "latin1");
      const cachedData = readFileSync(name + ".code").subarray(32);
      const { cachedDataRejected } = new (require("node:vm").Script)(text, { filename: "authz:" + name + ".cjs", cachedData });
      console.log(!cachedDataRejected);`;
    const argv = ["-e", ask, JSON.stringify([name, flags])];
    expect(execFileSync(process.execPath, argv, { cwd: dirname(main), encoding: "utf8" })).toBe(`${isTaken}\n`);
  });
});
