/** The commit that `authz version` tells of a checkout: what is in its files, and nothing where they cannot be read. */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { commitOf } from "../../src/cli/version.ts";
import { temporaryFolder } from "../server/harness.ts";

const id = "0123456789abcdef0123456789abcdef01234567";

test.each<[string, Readonly<Record<string, string>>, string | undefined]>([
  ["a branch", { HEAD: "ref: refs/heads/main\n", "refs/heads/main": `${id}\n` }, id],
  ["a branch among packed ones", { HEAD: "ref: refs/heads/main\n", "packed-refs": `# pack-refs\n${id} refs/heads/main\n` }, id],
  ["a commit without a branch", { HEAD: `${id}\n` }, id],
  ["a branch without commits", { HEAD: "ref: refs/heads/main\n" }, undefined],
  ["a branch outside of the folder", { HEAD: "ref: ../../secret\n" }, undefined],
  ["no checkout", {}, undefined],
])("%s", (_sentence, files, wanted) => {
  const folder = temporaryFolder(files);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  expect(commitOf(folder)).toBe(wanted);
});

test("files that cannot be read", () => {
  const folder = temporaryFolder({});
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "HEAD"));
  expect(commitOf(folder)).toBeUndefined();
});
