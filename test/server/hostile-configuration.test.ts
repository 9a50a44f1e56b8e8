/** Files that never end, and text that a terminal would show as another: what the configuration and the log make of them. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { temporaryFolder } from "./harness.ts";
import { main } from "./process.ts";
import { runAside } from "./run-aside.ts";

const folder = temporaryFolder({});
afterAll(() => rmSync(folder, { recursive: true }));

const messages = (file: string): readonly string[] => loadConfig(file, [], {}).problems.map(({ message }) => message);

test("a file that never ends is not read to its end", () => {
  expect(messages("/dev/zero")).toEqual(["a configuration file cannot be larger than 16777216 bytes"]);
});

test("a file that is too large is not read whole", () => {
  const file = join(folder, "large.yaml");
  writeFileSync(file, "#".repeat(17 * 2 ** 20));
  expect(messages(file)).toEqual(["a configuration file cannot be larger than 16777216 bytes"]);
});

test("a folder is no file", () => {
  mkdirSync(join(folder, "inside"));
  expect(messages(join(folder, "inside"))).toEqual(["the configuration file is a directory"]);
});

test("what a shell hands over in a pipe is a file", async () => {
  const { code, stdout } = await runAside("bash", [
    "-c",
    `"$0" "$1" config validate <(echo 'server: {logLevel: info}')`,
    process.execPath,
    main,
  ]);
  expect(stdout).toMatch(/: valid\n$/);
  expect(code).toBe(0);
});
