/** Lines on their way to a file: they wait as bytes in blocks, which go past the page cache where that is possible, and none is lost or changed by it. */
import { execFileSync } from "node:child_process";
import { appendFileSync, closeSync, constants, openSync, readFileSync, readSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openDirectWriter, openPages } from "../../src/audit/file/direct-writer.ts";
import { blockBytes, openLineQueue } from "../../src/audit/file/line-queue.ts";
import { openLineStream } from "../../src/audit/file/line-stream.ts";
import { entryLines } from "../../src/audit/file/lines.ts";
import type { Entry } from "../../src/audit/sink.ts";
import { openSink } from "../../src/audit/sinks.ts";
import { turnsOf } from "../../src/observe/turns.ts";
import { eventually } from "../server/harness.ts";
import { configWith, entryAt, folder, recordLog, linesIn, linesOf, openSlowPipe } from "./audit-harness.ts";

const now = Date.now();
const entriesOf = (count: number, padding = 1000): readonly Entry[] =>
  Array.from({ length: count }, (_, index) => entryAt(now + index, "decision", padding));
const idsOf = (text: string): readonly unknown[] =>
  text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line).callId);

describe("lines that wait", () => {
  const text = fc.oneof(
    { weight: 20, arbitrary: fc.string({ unit: "grapheme", maxLength: 300 }) },
    fc.integer({ min: 1000, max: 200_000 }).map((length) => "é".repeat(length)),
  );
  const entry = fc.record({
    kind: fc.constantFrom("access" as const, "decision" as const),
    said: text,
    rest: fc.boolean(),
    asBytes: fc.boolean(),
    traceId: fc.option(fc.constantFrom("4bf92f3577b34da6a3ce929d0e0e4736", 'a"b\\\u0001'), { nil: undefined }),
  });
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.array(entry, { maxLength: 8 }).map((push) => ({ push })) },
    fc.record({ drop: fc.nat(6), pad: fc.nat(5000) }),
  );

  test("come out as they went in, each once and in order, however many are taken at a time", () => {
    let made = 0;
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.nat(2), (steps, blocks) => {
        const queue = openLineQueue(Array.from({ length: blocks }, () => Buffer.alloc(blockBytes)));
        const sent: unknown[] = [];
        const come: string[] = [];
        const takeSome = (most: number, padding: number): void => {
          if (queue.length() === 0) return;
          const block = queue.take();
          expect(queue.take()).toBe(block);
          const before = block.lines();
          const { kinds } = block;
          const end = before.length;
          if (block.pad(padding)) expect(block.lines().length).toBe(end + padding);
          const lines = entryLines({ bytes: block.lines(), kinds: [...kinds] });
          const count = Math.min(most, lines.length);
          for (const { kind, bytes, start, end: to } of lines.slice(0, count)) {
            const line = bytes.toString("utf8", start, to);
            expect(JSON.parse(line)["log.kind"]).toBe(kind);
            come.push(line);
          }
          queue.drop(count);
        };
        for (const each of steps) {
          if ("drop" in each) takeSome(each.drop, each.pad);
          else {
            for (const { kind, said, rest, asBytes, traceId } of each.push) {
              const callId = String(made++);
              const head = `"callId":"${callId}","said":`;
              const more = `${JSON.stringify(said)}}`;
              const trace = traceId === undefined ? {} : { traceId };
              const line: Entry = { kind, callId, head: rest ? head : head + more, rest: rest ? more : "", ...trace };
              const bytes = asBytes ? linesOf([line]) : undefined;
              queue.push(bytes === undefined ? line : { kind, bytes, start: 0, end: bytes.length });
              sent.push({
                "log.logger": "authz.audit",
                "log.kind": kind,
                ...(traceId !== undefined && { "trace.id": traceId }),
                callId,
                said,
              });
            }
          }
          expect(queue.size() > 0).toBe(queue.length() > 0);
          expect(queue.kinds().length).toBe(queue.length());
        }
        while (queue.length() > 0) takeSome(Number.POSITIVE_INFINITY, 0);
        expect(come.map((line) => JSON.parse(line))).toEqual(sent);
        expect(queue.size()).toBe(0);
      }),
      { numRuns: 150 },
    );
  });

  test.each(Array.from({ length: 16 }, (_, step) => 1880 + step * 4))(
    "have room for what was put off before them: %i euro signs each",
    (length) => {
      const queue = openLineQueue([]);
      const entries = Array.from({ length: 200 }, (_, index): Entry => {
        const callId = String(index).padStart(3, "0");
        return { kind: "access", callId, head: `"callId":"${callId}","said":"${"\u20ac".repeat(length)}"}`, rest: "" };
      });
      entries.forEach(queue.push);
      const come: unknown[] = [];
      while (queue.length() > 0) {
        const block = queue.take();
        come.push(...idsOf(block.lines().toString()));
        queue.drop(block.kinds.length);
      }
      expect(come).toEqual(entries.map(({ callId }) => callId));
    },
  );

  test("use the same memory again, and more only while all of it is full", () => {
    const memory = [Buffer.alloc(blockBytes), Buffer.alloc(blockBytes)];
    const queue = openLineQueue(memory);
    const used: unknown[] = [];
    for (let round = 0; round < 3; round++) {
      for (const each of entriesOf(1500)) queue.push(each);
      while (queue.length() > 0) {
        const block = queue.take();
        used.push(block.lines().buffer);
        queue.drop(block.kinds.length);
      }
    }
    expect(used.filter((buffer) => memory.some((each) => each.buffer === buffer)).length).toBe(6);
    expect(new Set(used).size).toBeLessThan(used.length);
  });

  test("are not written over by later ones while they are being written", () => {
    const queue = openLineQueue([Buffer.alloc(blockBytes)]);
    const [first, ...others] = entriesOf(200);
    if (first === undefined) throw new Error("there are entries");
    queue.push(first);
    const block = queue.take();
    const before = block.lines().toString();
    others.forEach(queue.push);
    expect(block.lines().toString()).toBe(before);
    queue.drop(1);
    expect(queue.kinds().length).toBe(others.length);
  });
});

test("a line that a pipe has taken half of is ended as soon as it is read, though nothing comes after it", async () => {
  const heard = recordLog();
  const { sink, read, ended } = await openSlowPipe(heard);
  // More than a pipe takes at once, and fewer than a block: the last one is left when the others are done.
  const entries = ["a", "b", "c"].map((letter, index): Entry => ({ ...entryAt(now + index), rest: `"said":"${letter.repeat(100_000)}"}` }));
  entries.forEach(sink.write);
  await eventually(
    () => read().length,
    (length) => length >= linesOf(entries).length,
  );
  await sink.close(1000);
  await ended;
  expect(read() === linesOf(entries).toString()).toBe(true);
  expect(heard.failures).toEqual([]);
});

describe("a stream", () => {
  const readable = constants.O_RDONLY | constants.O_NONBLOCK;
  const openPipe = () => {
    const path = join(folder(), "pipe");
    execFileSync("mkfifo", [path]);
    const reader = openSync(path, readable);
    const descriptor = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    const turns = turnsOf(1);
    return { path, reader, turns, destination: openLineStream({ kind: "stream", name: path, descriptor, pipe: true, ours: true, turns }) };
  };
  const blockOf = (entry: Entry) => {
    const queue = openLineQueue([]);
    queue.push(entry);
    return queue.take();
  };
  const room = Buffer.alloc(2 ** 20);

  test("is left to whoever shares it once a line that was begun is whole", async () => {
    const { reader, turns, destination } = openPipe();
    const block = blockOf(entryAt(now, "decision", 200_000));
    expect(await destination.deliver(block)).toEqual({ delivered: 0 }); // the pipe is full
    let isTheirs = false;
    turns.take(() => void (isTheirs = true));
    expect(isTheirs).toBe(false);
    for (let delivered = 0; delivered === 0; { delivered } = await destination.deliver(block)) readSync(reader, room);
    expect(isTheirs).toBe(true);
    turns.end();
    await destination.close();
    closeSync(reader);
  });

  test("whose reader went between two lines has nothing but lines for the next", async () => {
    const { path, reader, destination } = openPipe();
    const [one, two] = [entryAt(now), entryAt(now + 1)];
    expect(await destination.deliver(blockOf(one))).toEqual({ delivered: 1 });
    readSync(reader, room);
    closeSync(reader);
    expect(await destination.deliver(blockOf(two))).toMatchObject({ delivered: 0, trouble: { code: "EPIPE" } });
    const next = openSync(path, readable);
    expect(await destination.deliver(blockOf(two))).toEqual({ delivered: 1 });
    expect(room.subarray(0, readSync(next, room)).equals(linesOf([two]))).toBe(true);
    await destination.close();
    closeSync(next);
  });
});

describe("blocks that go past the page cache", () => {
  /** Does it work here at all? Where not, lines go the usual way, and so do these tests. */
  const isPossible = (path: string): boolean => {
    if (constants.O_DIRECT === undefined) return false;
    try {
      closeSync(openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_DIRECT));
      return true;
    } catch {
      return false;
    }
  };

  test.each<[what: string, size: number, count: number, isTaken: boolean]>([
    ["an empty file takes many lines", 0, 100, true],
    ["so does one that ends with a page", 8192, 100, true],
    ["one that does not is filled up first", 100, 100, false],
    ["few lines are not worth it", 0, 10, false],
  ])("%s", async (_what, size, count, isTaken) => {
    const path = join(folder(), "audit.log");
    writeFileSync(path, "x".repeat(Math.max(0, size - 1)) + (size > 0 ? "\n" : ""));
    const pages = openPages(1);
    const direct = await openDirectWriter(path, await stat(path), pages);
    const queue = openLineQueue(pages);
    for (const each of entriesOf(count)) queue.push(each);
    const bytes = direct.fill(queue.take(), size);
    const taken = await direct.append(bytes, size);
    await direct.close();
    expect(taken).toBe(isTaken && isPossible(path) ? bytes.length : undefined);
    if (taken !== undefined) {
      expect(readFileSync(path).subarray(size)).toEqual(bytes);
      expect((size + bytes.length) % 4096).toBe(0);
    }
    expect(idsOf(bytes.toString())).toEqual(entriesOf(count).map(() => expect.any(String)));
  });

  test("a file of many lines holds each once, whole and in order, and little more than them", async () => {
    const path = join(folder(), "audit.log");
    const entries = entriesOf(4000);
    const sink = await openSink(configWith({ "audit.file.path": path }), recordLog());
    for (const [index, each] of entries.entries()) {
      sink.write(each);
      if (index % 300 === 0) await new Promise((resolve) => setTimeout(resolve, 3));
    }
    await sink.close(10_000);
    expect(linesIn(path).map(({ callId }) => callId)).toEqual(entries.map(({ callId }) => callId));
    expect(statSync(path).size).toBeLessThan(linesOf(entries).length * 1.05);
  });

  test.each<[what: string, disturb: (path: string) => void, kept: (lines: readonly string[]) => boolean]>([
    ["writes to it too", (path) => appendFileSync(path, '{"callId":"theirs"}\n'), (ids) => ids.includes("theirs") && ids.length === 601],
    ["has emptied it", (path) => truncateSync(path), (ids) => ids.length === 400],
    ["has left half a line in it", (path) => appendFileSync(path, " "), (ids) => ids.length === 600],
  ])("nothing of ours is lost when somebody %s", async (_what, disturb, kept) => {
    const path = join(folder(), "audit.log");
    const heard = recordLog();
    const sink = await openSink(configWith({ "audit.file.path": path }), heard);
    const entries = entriesOf(600);
    const write = async (from: number, to: number, there: number): Promise<void> => {
      entries.slice(from, to).forEach(sink.write);
      await eventually(
        () => linesIn(path).length,
        (count) => count >= there,
      );
    };
    await write(0, 200, 200);
    disturb(path);
    entries.slice(200, 400).forEach(sink.write);
    await new Promise((resolve) => setTimeout(resolve, 100));
    entries.slice(400).forEach(sink.write);
    await sink.close(5000);
    const ids = idsOf(readFileSync(path, "utf8"));
    expect(ids.filter((id) => id !== "theirs").slice(-400)).toEqual(entries.slice(200).map(({ callId }) => callId));
    expect(kept(ids.map(String))).toBe(true);
    expect(heard.failures).toEqual([]);
  });
});
