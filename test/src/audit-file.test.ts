/** The audit file: who may read it, how it is closed off in segments, which of them go, and what trouble cannot do to its lines. */
import {
  appendFileSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { openSink } from "../../src/audit/sinks.ts";
import { codeOf } from "../../src/refusal.ts";
import { openTarget } from "../../src/audit/file/output-target.ts";
import { turnsOf } from "../../src/observe/turns.ts";
import { removeSegments, segmentPath, segmentRules } from "../../src/audit/file/segments.ts";
import { asOrdinaryUser, configWith, entryAt, folder, recordLog, linesIn, linesOf, parseLines } from "./audit-harness.ts";
import { openFilesIn } from "./open-files.ts";
import { eventually } from "../server/harness.ts";

const now = Date.now();
const day = 86_400_000;

const idsOf = (path: string): readonly string[] => linesIn(path).map(({ callId }) => callId);
const sinkAt = (path: string, settings: { readonly [key: string]: string | number } = {}, heard = recordLog()) =>
  openSink(configWith({ "audit.file.path": path, ...settings }), heard);

/** A file that holds a line, and is open. */
async function withOneLine(): Promise<{
  readonly path: string;
  readonly sink: Awaited<ReturnType<typeof sinkAt>>;
  readonly heard: ReturnType<typeof recordLog>;
  readonly entry: ReturnType<typeof entryAt>;
}> {
  const path = join(folder(), "audit.log");
  const heard = recordLog();
  const sink = await sinkAt(path, {}, heard);
  const entry = entryAt(now);
  sink.write(entry);
  await eventually(
    () => linesIn(path).length,
    (count) => count === 1,
  );
  return { path, sink, heard, entry };
}

describe("the file", () => {
  test("is there from the start, for its owner alone", async () => {
    const path = join(folder(), "audit.log");
    const sink = await sinkAt(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await sink.close(1000);
    expect(readFileSync(path, "utf8")).toBe("");
  });

  test("names the log, the kind and the trace on every line", async () => {
    const path = join(folder(), "audit.log");
    const sink = await sinkAt(path);
    sink.write(entryAt(now, "access"));
    sink.write({ ...entryAt(now, "decision"), traceId: "4bf92f3577b34da6a3ce929d0e0e4736" });
    await sink.close(1000);
    expect(linesIn(path)).toMatchObject([
      { "log.logger": "authz.audit", "log.kind": "access" },
      { "log.logger": "authz.audit", "log.kind": "decision", "trace.id": "4bf92f3577b34da6a3ce929d0e0e4736" },
    ]);
  });

  test("goes on where an earlier run ended", async () => {
    const path = join(folder(), "audit.log");
    const entries = [entryAt(now), entryAt(now + 1)];
    for (const entry of entries) {
      const sink = await sinkAt(path);
      sink.write(entry);
      await sink.close(1000);
    }
    expect(idsOf(path)).toEqual(entries.map(({ callId }) => callId));
  });

  test("closes off a line that a crash left unfinished, so that no two lines mix", async () => {
    const path = join(folder(), "audit.log");
    writeFileSync(path, '{"log.logger":"authz.audit","log.kind":"access","callId":"01');
    const sink = await sinkAt(path);
    const entry = entryAt(now);
    sink.write(entry);
    await sink.close(1000);
    const [torn, whole, end] = readFileSync(path, "utf8").split("\n");
    expect(torn).toBe('{"log.logger":"authz.audit","log.kind":"access","callId":"01');
    expect(JSON.parse(whole ?? "")).toMatchObject({ callId: entry.callId });
    expect(end).toBe("");
  });

  test.each<[what: string, disturb: (path: string) => void]>([
    ["moved away", (path) => renameSync(path, `${path}.moved`)],
    ["emptied", (path) => truncateSync(path)],
  ])("is written again after somebody has %s it", async (_what, disturb) => {
    const { path, sink } = await withOneLine();
    disturb(path);
    const entry = entryAt(now + 1);
    await eventually(
      () => existsSync(path) && statSync(path).size,
      (size) => size === 0,
    );
    sink.write(entry);
    await sink.close(1000);
    expect(idsOf(path)).toEqual([entry.callId]);
  });
});

test.each<[what: string, disturb: (path: string) => void]>([
  ["cut it within a line", (path) => truncateSync(path, 40)],
  ["left half a line in it", (path) => appendFileSync(path, '{"callId":"')],
  [
    "put another in its place that ends within a line",
    (path) => {
      renameSync(path, `${path}.moved`);
      writeFileSync(path, '{"callId":"');
    },
  ],
])("lines do not mix with what is left when somebody has %s", async (_what, disturb) => {
  const { path, sink } = await withOneLine();
  disturb(path);
  // It is looked at about every second.
  await new Promise((resolve) => setTimeout(resolve, 2100));
  const entry = entryAt(now + 1);
  sink.write(entry);
  await sink.close(1000);
  const [last = "", end] = readFileSync(path, "utf8").split("\n").slice(-2);
  expect(JSON.parse(last)).toMatchObject({ callId: entry.callId });
  expect(end).toBe("");
});

describe("a file by another name", () => {
  test("is written once", async () => {
    const inside = folder();
    const path = join(inside, "audit.log");
    symlinkSync("audit.log", join(inside, "other.log"));
    const sink = await sinkAt(path, { "audit.file.additionalPaths": join(inside, "other.log") });
    const entry = entryAt(now);
    sink.write(entry);
    await sink.close(1000);
    expect(idsOf(path)).toEqual([entry.callId]);
    expect(openFilesIn(inside)).toEqual([]);
  });

  test("that is a pipe is written once", async () => {
    const inside = folder();
    const [path, other] = [join(inside, "pipe"), join(inside, "other")];
    execFileSync("mkfifo", [path]);
    symlinkSync(path, other);
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    onTestFinished(() => closeSync(reader));
    const sink = await sinkAt(path, { "audit.file.additionalPaths": other });
    const entry = entryAt(now);
    sink.write(entry);
    await sink.close(1000);
    const read = Buffer.alloc(10_000);
    expect(parseLines(read.toString("utf8", 0, readSync(reader, read))).map(({ callId }) => callId)).toEqual([entry.callId]);
  });

  test("is rotated where it lies, though the link was there before it", async () => {
    const [inside, elsewhere] = [folder(), folder()];
    symlinkSync(join(elsewhere, "there.log"), join(inside, "audit.log"));
    const sink = await sinkAt(join(inside, "audit.log"), { "audit.file.logRotation.maxFileSizeMB": 1 });
    for (let index = 0; index < 40; index++) sink.write(entryAt(now + index, "decision", 40_000));
    await sink.close(5000);
    expect(readdirSync(inside)).toEqual(["audit.log"]);
    expect(readdirSync(elsewhere).filter((name) => name !== "there.log")).toEqual([expect.stringMatching(/^there-.*\.log$/)]);
  });

  test.each(["/dev/stdout", "/proc/self/fd/2"])("of our own streams, as %s is, is shared with the log and not rotated", async (name) => {
    const place = await openTarget(name, "audit.file.path");
    if (place.kind !== "stream") throw new Error(`${name} is taken for a file of ours`);
    expect([turnsOf(1), turnsOf(2)].includes(place.turns)).toBe(true); // both may lead to one place
    if (place.ours) closeSync(place.descriptor);
  });
});

describe("segments", () => {
  test("are closed before they grow over the limit, whole, hold every entry once, and none is held open", async () => {
    const inside = folder();
    const sink = await sinkAt(join(inside, "audit.log"), { "audit.file.logRotation.maxFileSizeMB": 1 });
    const entries = Array.from({ length: 4000 }, (_, index) => entryAt(now + index, "decision", 1000));
    for (const entry of entries) sink.write(entry);
    await sink.close(10_000);
    expect(openFilesIn(inside)).toEqual([]);
    const names = readdirSync(inside).sort((left, right) =>
      left.length === right.length ? (left < right ? -1 : 1) : right.length - left.length,
    );
    expect(names.length).toBe(5);
    for (const name of names) expect(statSync(join(inside, name)).size).toBeLessThanOrEqual(2 ** 20);
    expect(names.flatMap((name) => idsOf(join(inside, name))).sort()).toEqual(entries.map(({ callId }) => callId).sort());
  });

  test("are closed in time where age counts, and go when they are too old", async () => {
    const inside = folder();
    const path = join(inside, "audit.log");
    const sink = await sinkAt(path, { "audit.file.retentionPeriod": "700ms" });
    const entry = entryAt(Date.now());
    sink.write(entry);
    const [segment = ""] = await eventually(
      () => readdirSync(inside).filter((name) => name !== "audit.log"),
      (names) => names.length === 1,
    );
    expect(idsOf(join(inside, segment))).toEqual([entry.callId]);
    await eventually(
      () => readdirSync(inside),
      (names) => names.length === 1 && names[0] === "audit.log",
    );
    await sink.close(1000);
  });

  test("of an earlier run count: an old file is closed before the first line of the new run", async () => {
    const inside = folder();
    const path = join(inside, "audit.log");
    const old = entryAt(now - 2 * day);
    const before = await sinkAt(path);
    before.write(old);
    await before.close(1000);
    const sink = await sinkAt(path, { "audit.file.retentionPeriod": "336h" });
    const entry = entryAt(now);
    sink.write(entry);
    await sink.close(1000);
    expect(idsOf(path)).toEqual([entry.callId]);
    const [segment = ""] = readdirSync(inside).filter((name) => name !== "audit.log");
    expect(idsOf(join(inside, segment))).toEqual([old.callId]);
  });

  test("of another program count from when it wrote to the file last", async () => {
    const inside = folder();
    const path = join(inside, "audit.log");
    writeFileSync(path, "no time\n");
    utimesSync(path, (now - 2 * day) / 1000, (now - 2 * day) / 1000);
    const sink = await sinkAt(path, { "audit.file.retentionPeriod": "336h" });
    const entry = entryAt(now);
    sink.write(entry);
    await sink.close(1000);
    expect(idsOf(path)).toEqual([entry.callId]);
    const [segment = ""] = readdirSync(inside).filter((name) => name !== "audit.log");
    expect(readFileSync(join(inside, segment), "utf8")).toBe("no time\n");
  });

  test("are as old as their first line: a file that somebody has emptied is begun anew by the next", async () => {
    const path = join(folder(), "audit.log");
    const clock = vi.spyOn(Date, "now").mockReturnValue(now);
    onTestFinished(() => void vi.restoreAllMocks());
    const sink = await sinkAt(path, { "audit.file.retentionPeriod": "336h" }); // each is closed after a day
    const entries = [entryAt(now), entryAt(now + 1), entryAt(now + 2)];
    const write = async (index: number, count: number): Promise<void> => {
      for (const entry of entries.slice(index, index + 1)) sink.write(entry);
      await eventually(
        () => linesIn(path).length,
        (found) => found === count,
      );
    };
    await write(0, 1);
    truncateSync(path);
    await new Promise((resolve) => setTimeout(resolve, 2100)); // it is looked at about every second
    clock.mockReturnValue(now + 0.9 * day);
    await write(1, 1);
    clock.mockReturnValue(now + 1.8 * day);
    await write(2, 2);
    clock.mockReturnValue(now + 2 * day);
    const [segment = ""] = await eventually(
      () => readdirSync(dirname(path)).filter((name) => name !== "audit.log"),
      (names) => names.length === 1,
    );
    await sink.close(1000);
    expect(idsOf(join(dirname(path), segment))).toEqual(entries.slice(1).map(({ callId }) => callId));
  });

  const textOf = (entry: ReturnType<typeof entryAt>): string => linesOf([entry]).toString("utf8");
  test("of an earlier run that broke off within a line end with a whole one", async () => {
    const inside = folder();
    const path = join(inside, "audit.log");
    const [old, entry] = [entryAt(now - 2 * day), entryAt(now)];
    const torn = '{"log.logger":"authz.audit","log.kind":"access","callId":"01';
    writeFileSync(path, textOf(old) + torn);
    const sink = await sinkAt(path, { "audit.file.retentionPeriod": "336h" });
    await new Promise((resolve) => setTimeout(resolve, 1100)); // age is looked at each second
    sink.write(entry);
    const [segment = ""] = await eventually(
      () => readdirSync(inside).filter((name) => name !== "audit.log"),
      (names) => names.length === 1,
    );
    await sink.close(1000);
    expect(readFileSync(join(inside, segment), "utf8")).toBe(`${textOf(old)}${torn}\n${textOf(entry)}`);
  });

  test("that are too old go at the start", async () => {
    const path = join(folder(), "audit.log");
    const segment = segmentPath(path, now - 2 * day, 0);
    writeFileSync(segment, ours);
    const sink = await sinkAt(path, { "audit.file.retentionPeriod": "24h" });
    expect(existsSync(segment)).toBe(false);
    await sink.close(1000);
  });

  test("that are closed in one millisecond have names of their own", async () => {
    const inside = folder();
    const path = join(inside, "audit.log");
    const entries = Array.from({ length: 30 }, (_, index) => entryAt(now + index, "decision", 100_000));
    vi.spyOn(Date, "now").mockReturnValue(now);
    onTestFinished(() => void vi.restoreAllMocks());
    const sink = await sinkAt(path, { "audit.file.logRotation.maxFileSizeMB": 1 });
    for (const entry of entries) sink.write(entry);
    await sink.close(10_000);
    const found = readdirSync(inside).flatMap((name) => idsOf(join(inside, name)));
    expect(found.toSorted()).toEqual(entries.map(({ callId }) => callId).toSorted());
  });

  const ours = '{"log.logger":"authz.audit","log.kind":"access","callId":"1"}\n';
  test.each<[what: string, settings: { readonly [key: string]: string | number }, kept: readonly string[]]>([
    ["all, where nothing says otherwise", {}, ["1h", "2d", "2d.1", "9d"]],
    ["those younger than the period", { "audit.file.retentionPeriod": "72h" }, ["1h", "2d", "2d.1"]],
    ["those younger than the days", { "audit.file.logRotation.maxFileAgeDays": 1 }, ["1h"]],
    [
      "those younger than the shorter of both",
      { "audit.file.logRotation.maxFileAgeDays": 30, "audit.file.retentionPeriod": "72h" },
      ["1h", "2d", "2d.1"],
    ],
    ["the newest", { "audit.file.logRotation.maxFileCount": 2 }, ["1h", "2d.1"]],
  ])("that are kept: %s", async (_what, settings, kept) => {
    const inside = folder();
    const path = join(inside, "audit.log");
    const names: { readonly [name: string]: string } = {
      "1h": segmentPath(path, now - 3_600_000, 0),
      "2d": segmentPath(path, now - 2 * day, 0),
      "2d.1": segmentPath(path, now - 2 * day, 1),
      "9d": segmentPath(path, now - 9 * day, 0),
    };
    for (const segment of Object.values(names)) writeFileSync(segment, ours);
    await removeSegments(path, segmentRules(configWith(settings)), now);
    expect(Object.keys(names).filter((name) => existsSync(names[name] ?? ""))).toEqual(kept);
  });

  test("that cannot be read keep none of the older ones", async () => {
    const inside = folder();
    chmodSync(inside, 0o777);
    chmodSync(dirname(inside), 0o711);
    const path = join(inside, "audit.log");
    const [closed = "", ...older] = [2, 3, 4].map((days) => segmentPath(path, now - days * day, 0));
    for (const segment of [closed, ...older]) writeFileSync(segment, ours);
    for (const segment of older) chmodSync(segment, 0o644);
    chmodSync(closed, 0);
    await asOrdinaryUser(async () => {
      const removal = removeSegments(path, segmentRules(configWith({ "audit.file.retentionPeriod": "24h" })), now);
      await expect(removal).rejects.toThrow("EACCES");
    });
    expect([closed, ...older].filter((segment) => existsSync(segment))).toEqual([closed]);
  });

  test("are the only files that are ever removed", async () => {
    const inside = folder();
    const path = join(inside, "audit.log");
    const others = {
      "audit.log": ours,
      "audit-1.log": ours,
      "audit-2001-01-01.log": ours,
      "audit-2001-01-01T00-00-00.000Z.log.gz": ours,
      "audits-2001-01-01T00-00-00.000Z.log": ours,
      "my-audit-2001-01-01T00-00-00.000Z.log": ours,
      "audit-2001-99-99T00-00-00.000Z.log": ours,
      "audit-2001-01-02T00-00-00.000Z.log": "somebody else's\n",
      "audit-2001-01-03T00-00-00.000Z.log": "",
    };
    for (const [name, text] of Object.entries(others)) writeFileSync(join(inside, name), text);
    mkdirSync(segmentPath(path, Date.parse("2001-01-04"), 0));
    writeFileSync(join(inside, "target"), ours);
    symlinkSync(join(inside, "target"), segmentPath(path, Date.parse("2001-01-05"), 0));
    const before = readdirSync(inside);
    writeFileSync(segmentPath(path, Date.parse("2001-01-06"), 0), ours);
    await removeSegments(path, segmentRules(configWith({ "audit.file.retentionPeriod": "1h" })), now);
    expect(readdirSync(inside)).toEqual(before);
  });

  test("never take a name that is taken", () => {
    expect([0, 1].map((attempt) => segmentPath("/var/log/audit.log", Date.parse("2026-11-20T08:03:09.495Z"), attempt))).toEqual([
      "/var/log/audit-2026-11-20T08-03-09.495Z.log",
      "/var/log/audit-2026-11-20T08-03-09.495Z.1.log",
    ]);
  });
});

describe("trouble", () => {
  test("is counted by kind and told once, and does not stop anything", async () => {
    const heard = recordLog();
    const sink = await sinkAt("/dev/full", {}, heard);
    sink.write(entryAt(now, "access"));
    sink.write(entryAt(now, "decision"));
    await eventually(
      () => heard.failures.length,
      (count) => count >= 6,
    );
    expect(new Set(heard.failures)).toEqual(new Set(["access", "decision"]));
    expect(heard.messages()).toEqual([expect.stringContaining("/dev/full: ENOSPC")]);
    await sink.close(300);
    expect(heard.messages().at(-1)).toContain("2 audit entries were lost");
  });

  test("does not lose what an additional file can still take", async () => {
    const path = join(folder(), "more.log");
    const sink = await sinkAt("/dev/full", { "audit.file.additionalPaths": path });
    const entry = entryAt(now);
    sink.write(entry);
    await sink.close(300);
    expect(idsOf(path)).toEqual([entry.callId]);
  });

  test("a folder that is removed makes lines wait, which is told and counted, until there is one again", async () => {
    const inside = join(folder(), "logs");
    mkdirSync(inside);
    const path = join(inside, "audit.log");
    const heard = recordLog();
    const sink = await sinkAt(path, {}, heard);
    rmSync(inside, { recursive: true });
    await eventually(heard.messages, (said) => said.length === 1); // it is looked after each second
    const entries = [entryAt(now), entryAt(now + 1)];
    entries.forEach(sink.write);
    await eventually(
      () => heard.failures.length,
      (count) => count >= 1,
    );
    mkdirSync(inside);
    await eventually(
      () => existsSync(path) && idsOf(path).length,
      (count) => count === 2,
    );
    await eventually(heard.messages, (said) => said.length === 2);
    await sink.close(1000);
    expect(idsOf(path)).toEqual(entries.map(({ callId }) => callId));
    expect(heard.messages().map((said) => said.replace(/[:;].*/, ""))).toEqual([
      `audit entries cannot be written to ${path}`,
      `audit entries are written to ${path} again`,
    ]);
    expect(heard.messages()[0]).toMatch(/; they wait in memory, and writing is retried$/);
  });

  test("a file that is removed keeps none of the lines that come, from the first on", async () => {
    const { path, sink, heard, entry } = await withOneLine();
    rmSync(path);
    const entries = Array.from({ length: 3 }, (_, index) => entryAt(now + 1 + index));
    entries.forEach(sink.write);
    await eventually(heard.messages, (said) => said.length === 2);
    await sink.close(1000);
    const ids = entries.map(({ callId }) => callId);
    // The line before them comes again where the file was removed before it was seen that it is there.
    expect([ids, [entry.callId, ...ids]]).toContainEqual(idsOf(path));
    expect(heard.failures).toEqual(["decision"]);
    expect(heard.messages()).toEqual([
      `audit entries cannot be written to ${path}: it was removed while lines were written; they wait in memory, and writing is retried`,
      `audit entries are written to ${path} again; lost meanwhile: 0`,
    ]);
  });

  test("a file that is removed while no lines come is told, and those that come later go into another", async () => {
    const path = join(folder(), "audit.log");
    // Of an earlier run: a line that was only just written comes again where the file was removed before it was seen that it is there.
    writeFileSync(path, '{"callId":"01"}\n');
    const heard = recordLog();
    const sink = await sinkAt(path, {}, heard);
    rmSync(path);
    await eventually(heard.messages, (said) => said.length === 1);
    const later = entryAt(now + 1);
    sink.write(later);
    await sink.close(1000);
    expect(idsOf(path)).toEqual([later.callId]);
    expect(heard.messages()).toEqual([
      `the audit file ${path} was removed: unless it was copied before, what it held is lost; another is begun`,
    ]);
  });

  test("lines of a batch that are in a closed segment do not come again when the next one is removed", async () => {
    const path = join(folder(), "audit.log");
    const sink = await sinkAt(path, { "audit.file.logRotation.maxFileSizeMB": 1 });
    const entries = Array.from({ length: 60 }, (_, index) => entryAt(now + index, "decision", 50_000));
    let removals = 0;
    const until = setInterval(() => {
      if (!existsSync(path) || readdirSync(dirname(path)).length < 2) return;
      rmSync(path);
      removals++;
    }, 1);
    for (const entry of entries) {
      sink.write(entry);
      await new Promise((resolve) => setImmediate(resolve));
    }
    // What was removed after it had been written is gone for good, and may be all but one segment.
    await eventually(
      () => removals,
      (count) => count > 0,
    );
    clearInterval(until);
    await sink.close(1000);
    const seen = readdirSync(dirname(path)).flatMap((name) => idsOf(join(dirname(path), name)));
    expect(new Set(seen).size).toBe(seen.length);
  });

  test("a reader of a pipe that goes within a line leaves its end, and the line comes again", async () => {
    const path = join(folder(), "pipe");
    execFileSync("mkfifo", [path]);
    const read = constants.O_RDONLY | constants.O_NONBLOCK;
    const first = openSync(path, read);
    const heard = recordLog();
    const sink = await sinkAt(path, {}, heard);
    const entries = [entryAt(now, "decision", 200_000), entryAt(now + 1)];
    entries.forEach(sink.write);
    await new Promise((resolve) => setTimeout(resolve, 300)); // the pipe is full
    let seen = Buffer.alloc(1000);
    expect(readSync(first, seen)).toBe(1000);
    closeSync(first);
    await eventually(
      () => heard.failures.length,
      (count) => count > 0,
    );
    const second = openSync(path, read);
    const more = Buffer.alloc(2 ** 20);
    const whole = (): boolean => seen.at(-1) === 10 && seen.includes(entries[1]?.callId ?? "");
    await eventually(() => {
      try {
        seen = Buffer.concat([seen, more.subarray(0, readSync(second, more))]);
      } catch (error) {
        if (codeOf(error) !== "EAGAIN") throw error;
      }
      return whole();
    }, Boolean);
    await sink.close(1000);
    closeSync(second);
    const [torn = "", ...lines] = seen.toString().split("\n");
    expect(torn.length).toBeLessThan(200_000);
    expect(parseLines(lines.join("\n")).map(({ callId }) => callId)).toEqual(entries.map(({ callId }) => callId));
  });

  test("a folder that is moved does not stop the lines that come", async () => {
    const inside = folder();
    const path = join(inside, "audit.log");
    const sink = await sinkAt(path);
    appendFileSync(path, "");
    renameSync(inside, `${inside}-moved`);
    const entry = entryAt(now);
    sink.write(entry);
    await eventually(
      () => idsOf(join(`${inside}-moved`, "audit.log")).length,
      (count) => count === 1,
    );
    renameSync(`${inside}-moved`, inside);
    await sink.close(1000);
    expect(idsOf(path)).toEqual([entry.callId]);
  });

  test("a file that is moved away while no other can be begun goes on to take the lines, which is what is told", async () => {
    const { path, sink, heard } = await withOneLine();
    renameSync(path, `${path}.moved`);
    mkdirSync(path);
    await eventually(heard.messages, (said) => said.length === 1); // it is looked after each second
    const entry = entryAt(now + 1);
    sink.write(entry);
    await eventually(
      () => idsOf(`${path}.moved`).length,
      (count) => count === 2,
    );
    rmdirSync(path);
    await eventually(heard.messages, (said) => said.length === 2);
    await sink.close(1000);
    expect(heard.failures).toEqual([]);
    expect(heard.messages()[0]).toMatch(/: EISDIR: .*; they are still written to the old file, and writing is retried$/);
  });
});
