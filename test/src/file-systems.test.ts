/** What a file system is known for; of what nobody knows nothing is believed. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isStamping, reportsEveryChange } from "../../src/store/file-systems.ts";
import { temporaryFolder } from "../server/harness.ts";

describe("on a file system", () => {
  test.runIf(existsSync("/dev/shm"))("in memory the kernel stamps and tells each change", () => {
    expect([isStamping("/dev/shm"), reportsEveryChange("/dev/shm")]).toEqual([true, true]);
  });

  test.runIf(existsSync("/proc/self"))("that a program answers for it does neither", () => {
    expect([isStamping("/proc/self"), reportsEveryChange("/proc/self")]).toEqual([false, false]);
  });

  test("that is not there nobody is told, and there is nothing to stamp", () => {
    const nowhere = join(temporaryFolder({}), "nowhere");
    expect(reportsEveryChange(nowhere)).toBe(false);
    expect(() => isStamping(nowhere)).toThrow("ENOENT");
  });
});
