/** A file that cannot be brought to the disk is told of, and closed all the same: nothing stays open of a disk that is full for a while. */
import { execFileSync } from "node:child_process";
import { constants, fstatSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openAppender, type Appender } from "../../src/audit/file/appender.ts";
import { folder } from "./audit-harness.ts";

/** An appender to a file that was moved away since, and that the disk refuses to take. */
async function ofMovedFile(): Promise<{ readonly appender: Appender; readonly path: string; readonly descriptor: number }> {
  const inside = folder();
  const [path, before] = [join(inside, "audit.log"), join(inside, "before")];
  writeFileSync(path, "");
  // A pipe is the only file without a full disk that fdatasync refuses.
  execFileSync("mkfifo", [before]);
  const descriptor = openSync(before, constants.O_RDWR);
  const appender = await openAppender({ kind: "file", path, descriptor, status: fstatSync(descriptor) }, []);
  return { appender, path, descriptor };
}

test.each<[when: string, leave: (appender: Appender) => Promise<void>]>([
  ["when it was moved away", ({ look }) => look()],
  ["at the end", ({ close }) => close()],
])("%s", async (_when, leave) => {
  const { appender, descriptor } = await ofMovedFile();
  await expect(leave(appender)).rejects.toThrow("EINVAL");
  expect(() => fstatSync(descriptor)).toThrow("EBADF");
});

test("what comes after goes to the next file", async () => {
  const { appender, path } = await ofMovedFile();
  await expect(appender.look()).rejects.toThrow("EINVAL");
  expect(await appender.append(Buffer.from("{}\n"))).toEqual({ taken: 3 });
  await appender.close();
  expect(readFileSync(path, "utf8")).toBe("{}\n");
});
