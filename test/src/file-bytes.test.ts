/** Files are read to their end, whatever their size is said to be. */
import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readBytes, readStamped } from "../../src/store/file-bytes.ts";
import { stampFrom } from "../../src/store/tree.ts";
import { temporaryFolder } from "../server/harness.ts";

const folder = temporaryFolder({});

test.each([0, 1, 65_535, 65_536, 65_537, 200_000])("of %i bytes all are read, with the stamp of the file", (size) => {
  const file = join(folder, `${size}`);
  writeFileSync(file, "x".repeat(size));
  expect(readBytes(file).toString("latin1")).toBe("x".repeat(size));
  const { stamp, bytes } = readStamped(file);
  expect(bytes.toString("latin1")).toBe("x".repeat(size));
  expect(stamp).toEqual(stampFrom(statSync(file)));
  appendFileSync(file, "y");
  expect(readStamped(file).bytes.toString("latin1")).toBe(`${"x".repeat(size)}y`);
});

test.runIf(existsSync("/proc/self/cmdline"))("a file that says it is empty, and is not, is read as well", () => {
  const file = "/proc/self/cmdline";
  expect(statSync(file).size).toBe(0);
  expect(readStamped(file).bytes.equals(readFileSync(file))).toBe(true);
});
