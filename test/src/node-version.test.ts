/** A Node that is too old is named in one sentence; a syntax error of a module, or a function that is missing later, was what it met. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { nodeTooOld, oldestNode } from "../../src/process/node-version.ts";
import { main } from "../server/process.ts";

const control = join(dirname(main), "ctl.js");

test("the oldest Node is the one that the README names", () => {
  expect(readFileSync("README.md", "utf8")).toContain(`You need Node ${oldestNode} or later.`);
});

describe("which versions are too old", () => {
  test.each<[version: string, isTooOld: boolean]>([
    ["18.20.8", true],
    ["9.11.2", true],
    ["20.9.0", true],
    ["20.18.3", true],
    ["20.19.0", false],
    ["20.20.2", false],
    ["21.0.0", false],
    ["22.3.0", false],
    ["100.0.0", false],
  ])("%s: %s", (version, isTooOld) => {
    const said = nodeTooOld(version);
    expect(said?.startsWith(`Node ${oldestNode} or later is needed, and this is Node ${version}: `)).toBe(isTooOld ? true : undefined);
  });
});

/** Loaded before a program, makes its Node say that it is 18. */
const asNode18 = `data:text/javascript,${encodeURIComponent(
  'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.20.8" } });',
)}`;

test.each<[name: string, program: string, argv: readonly string[]]>([
  ["authz", main, ["server"]],
  ["authz", main, ["compile", "golden/tour/policies"]],
  ["authz", main, []],
  ["authzctl", control, ["get", "policies"]],
])("%s says so, whatever it is asked for", async (name, program, argv) => {
  const failed: unknown = await promisify(execFile)(process.execPath, ["--import", asNode18, program, ...argv]).catch(
    (error: unknown) => error,
  );
  expect(failed).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(new RegExp(`^${name}: error: Node [^\\n]*18\\.20\\.8[^\\n]*\\n$`)),
  });
});
