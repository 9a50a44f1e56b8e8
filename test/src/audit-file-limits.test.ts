/** The audit file where the system sets a limit: a rotation or a write that breaks off takes nothing with it. */
import { execFileSync } from "node:child_process";
import { appendFileSync, closeSync, openSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { openSink } from "../../src/audit/sinks.ts";
import { codeOf } from "../../src/refusal.ts";
import { eventually } from "../server/harness.ts";
import { configWith, entryAt, folder, linesIn, recordLog } from "./audit-harness.ts";

const now = Date.now();

/** Does some work while this process has a lower limit, as `prlimit` names them. */
async function limited(limit: "fsize" | "nofile", most: number, work: () => Promise<void>): Promise<void> {
  const ask = (...asked: readonly string[]): string =>
    execFileSync("prlimit", ["--pid", String(process.pid), ...asked])
      .toString()
      .trim();
  const before = ask(`--${limit}`, "--output=SOFT", "--noheadings", "--raw");
  ask(`--${limit}=${most}:`);
  try {
    await work();
  } finally {
    ask(`--${limit}=${before}:`);
  }
}

/** Does some work while this process can open no file. */
async function withoutDescriptors(work: () => Promise<void>): Promise<void> {
  const taken: number[] = [];
  const takeAll = (): void => {
    try {
      for (;;) taken.push(openSync("/dev/null", "r"));
    } catch (error) {
      if (codeOf(error) !== "EMFILE") throw error;
    }
  };
  await limited("nofile", 1024, async () => {
    try {
      takeAll();
      await work();
    } finally {
      taken.forEach((descriptor) => closeSync(descriptor));
    }
  });
}

test("a file that cannot be followed by another keeps its name and its lines, and takes those that come", async () => {
  const path = join(folder(), "audit.log");
  const heard = recordLog();
  const sink = await openSink(configWith({ "audit.file.path": path, "audit.file.logRotation.maxFileSizeMB": 1 }), heard);
  const entries = Array.from({ length: 4 }, (_, index) => entryAt(now + index, "decision", 400_000));
  await withoutDescriptors(async () => {
    entries.forEach(sink.write);
    await eventually(heard.messages, (said) => said.length > 0);
  });
  await sink.close(5000);
  expect(heard.messages()).toEqual([expect.stringMatching(/cannot be rotated: EMFILE.*; it is retried in a minute$/)]);
  expect(readdirSync(dirname(path))).toEqual(["audit.log"]);
  expect(linesIn(path).map(({ callId }) => callId)).toEqual(entries.map(({ callId }) => callId));
});

test("a line that does not fit is not taken back where another process has appended its own before it", async () => {
  const path = join(folder(), "audit.log");
  const heard = recordLog();
  const sink = await openSink(configWith({ "audit.file.path": path }), heard);
  const [first, second] = [entryAt(now), entryAt(now + 1, "decision", 10_000)];
  sink.write(first);
  await eventually(
    () => linesIn(path).length,
    (count) => count === 1,
  );
  const other = '{"callId":"of another process"}';
  const size = statSync(path).size + other.length + 1;
  await limited("fsize", size + 5000, async () => {
    appendFileSync(path, `${other}\n`);
    sink.write(second);
    await eventually(heard.messages, (said) => said.length > 0);
  });
  await sink.close(5000);
  const lines = readFileSync(path, "utf8").split("\n");
  expect(lines[1]).toBe(other);
  expect(lines.at(-1)).toBe("");
  expect(JSON.parse(lines.at(-2) ?? "")).toMatchObject({ callId: second.callId });
});
