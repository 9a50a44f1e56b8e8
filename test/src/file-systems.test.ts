/** What a file system is known for; of what nobody knows nothing is believed. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { answersFromMemory, isStamping, reportsEveryChange } from "../../src/file-systems.ts";
import { temporaryFolder } from "../server/harness.ts";

describe("on a file system", () => {
  test.runIf(existsSync("/dev/shm"))("in memory the kernel stamps and tells each change", async () => {
    expect([isStamping("/dev/shm"), reportsEveryChange("/dev/shm"), await answersFromMemory("/dev/shm")]).toEqual([true, true, true]);
  });

  test.runIf(existsSync("/proc/self"))("that a program answers for it does neither", async () => {
    expect([isStamping("/proc/self"), reportsEveryChange("/proc/self"), await answersFromMemory("/proc/self")]).toEqual([
      false,
      false,
      false,
    ]);
  });

  test("that is not there nobody is told, and there is nothing to stamp", async () => {
    const nowhere = join(temporaryFolder({}), "nowhere");
    expect([reportsEveryChange(nowhere), await answersFromMemory(nowhere)]).toEqual([false, false]);
    expect(() => isStamping(nowhere)).toThrow("ENOENT");
  });
});
