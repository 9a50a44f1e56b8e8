/** Whose folders are trusted with what a server will believe later. */
import { chmodSync, chownSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { refuseUnlessPrivate } from "../../src/store/private-folder.ts";

const folderOf = (mode: number): string => {
  const folder = mkdtempSync(join(tmpdir(), "authz-own-"));
  chmodSync(folder, mode);
  return folder;
};
/** A folder that only its owner can write to, who is somebody else: only root can make one, and everybody else has root's. */
const ofSomebodyElse = (): string => {
  if (process.getuid?.() !== 0) return "/usr";
  const folder = folderOf(0o700);
  chownSync(folder, 65_534, process.getgid?.() ?? 0);
  return folder;
};

test.each<readonly [sentence: string, folder: () => string, isTrusted: boolean]>([
  ["ours alone", () => folderOf(0o700), true],
  ["ours, that others can read", () => folderOf(0o755), true],
  ["that the group can write to", () => folderOf(0o720), false],
  ["that everybody can write to", () => folderOf(0o702), false],
  ["of somebody else, who can put anything into it", ofSomebodyElse, false],
])("a folder %s: is it trusted?", async (_sentence, folder, isTrusted) => {
  const path = folder();
  const said = await refuseUnlessPrivate(path).then(
    () => "trusted",
    (error: unknown) => String(error),
  );
  expect(said).toContain(isTrusted ? "trusted" : `others can write to the folder \`${path}\``);
});
