/** Whether an open file has been unlinked is told at once on file systems of this machine, and by a thread elsewhere: both know it. */
import { closeSync, linkSync, openSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { unlinkedTest } from "../../src/audit/file/unlinked.ts";
import { folder } from "./audit-harness.ts";

test.each<[where: string, path: (inside: string) => string, isAtOnce: boolean]>([
  ["on a file system of this machine", (inside) => inside, true],
  ["on one that is of another kind", () => "/proc", false],
  ["on one that does not say what it is", (inside) => join(inside, "nowhere"), false],
])("%s", async (_where, path, isAtOnce) => {
  const inside = folder();
  const file = join(inside, "file");
  writeFileSync(file, "");
  const descriptor = openSync(file, "r");
  const isUnlinked = await unlinkedTest(path(inside));
  const answers: boolean[] = [];
  const ask = async (): Promise<void> => {
    const answer = isUnlinked(descriptor);
    expect(typeof answer === "boolean").toBe(isAtOnce);
    answers.push(await answer);
  };
  await ask();
  linkSync(file, `${file} as well`);
  unlinkSync(file);
  await ask();
  unlinkSync(`${file} as well`);
  await ask();
  closeSync(descriptor);
  expect(answers).toEqual([false, false, true]);
  await expect((async () => isUnlinked(descriptor))()).rejects.toThrow("EBADF");
});
