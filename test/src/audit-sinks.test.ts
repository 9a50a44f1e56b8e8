/** What every sink keeps to: all entries, whole and in order, none lost when it closes; and a refusal when it cannot be opened. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Entry, EntryLines, Sink } from "../../src/audit/sink.ts";
import { openSink } from "../../src/audit/sinks.ts";
import { openLocalSink } from "../../src/audit/local/local-sink.ts";
import { eventually } from "../server/harness.ts";
import { configWith, entryAt, folder, recordLog, type RecordedLog, linesOf, openSlowPipe } from "./audit-harness.ts";
import { openFilesIn } from "./open-files.ts";

interface Opened {
  readonly sink: Sink;
  readonly heard: RecordedLog;
  /** Closes the sink and reads what it wrote. */
  readonly written: () => Promise<readonly string[]>;
}

const idsOf = (text: string): readonly string[] =>
  text
    .split("\n")
    .slice(0, -1)
    .map((line): string => JSON.parse(line).callId);

async function openFile(more: { readonly [key: string]: string } = {}): Promise<Opened> {
  const path = join(folder(), "audit.log");
  const heard = recordLog();
  const sink = await openSink(configWith({ "audit.file.path": path, ...more }), heard);
  return {
    sink,
    heard,
    written: async () => {
      await sink.close(5000);
      return idsOf(readFileSync(more["audit.file.additionalPaths"] ?? path, "utf8"));
    },
  };
}

/** What a worker sends: some lines at a time. */
function sendingLines({ sink, heard, written }: Opened): Opened {
  const waiting: Entry[] = [];
  const send = (): void => {
    const entries = waiting.splice(0);
    sink.writeLines?.({ bytes: linesOf(entries), kinds: entries.map(({ kind }) => kind) });
  };
  const write = (entry: Entry): void => {
    if (waiting.push(entry) === 7) send();
  };
  return {
    heard,
    sink: { ...sink, write },
    written: () => {
      send();
      return written();
    },
  };
}

const sinks: readonly (readonly [name: string, open: () => Promise<Opened>])[] = [
  ["a file", () => openFile()],
  ["a file that another process sends lines to", async () => sendingLines(await openFile())],
  ["an additional file", () => openFile({ "audit.file.additionalPaths": join(folder(), "more.log") })],
  [
    "a pipe with a slow reader",
    async () => {
      const heard = recordLog();
      const { sink, read, ended } = await openSlowPipe(heard);
      return {
        sink,
        heard,
        written: async () => {
          await sink.close(20_000);
          await ended;
          return idsOf(read());
        },
      };
    },
  ],
  [
    "a database",
    async () => {
      const heard = recordLog();
      const config = configWith({ "audit.backend": "local", "audit.local.storagePath": folder() });
      const sink = await openSink(config, heard);
      return {
        sink,
        heard,
        written: async () => {
          await sink.close(5000);
          const again = await openLocalSink(config, heard);
          const ids: string[] = [];
          for await (const text of again.query?.({ kind: "decision", filter: { kind: "since", milliseconds: 60_000 } }) ?? [])
            ids.push(JSON.parse(text).callId);
          await again.close(5000);
          return ids;
        },
      };
    },
  ],
];

describe.each(sinks)("%s", (_name, open) => {
  test("has every entry, whole and in order, when it is closed", async () => {
    const { sink, heard, written } = await open();
    const begin = Date.now() - 5000;
    // Some entries are larger than a pipe takes at once.
    const entries = Array.from({ length: 2000 }, (_, index) => entryAt(begin + index, "decision", index % 100 === 0 ? 9000 : index % 300));
    for (const [index, entry] of entries.entries()) {
      sink.write(entry);
      // Some come while others are being written.
      if (index % 100 === 99) await new Promise((resolve) => setTimeout(resolve, 25));
    }
    expect(await written()).toEqual(entries.map(({ callId }) => callId));
    expect(heard.failures).toEqual([]);
  });

  test("has nothing when nothing came", async () => {
    const { written } = await open();
    expect(await written()).toEqual([]);
  });
});

describe("lines that are not what they are said to be write nothing", () => {
  const bytes = Buffer.from("{}\n{}\n");
  test.each<[what: string, lines: EntryLines]>([
    ["fewer lines", { bytes, kinds: ["access", "decision", "access"] }],
    ["more lines", { bytes, kinds: ["access"] }],
    ["a line without an end", { bytes: bytes.subarray(0, 5), kinds: ["access", "decision"] }],
    ["no lines", { bytes: Buffer.alloc(0), kinds: ["access"] }],
  ])("%s", async (_what, lines) => {
    const { sink, written } = await openFile();
    expect(() => sink.writeLines?.(lines)).toThrow("were announced");
    expect(await written()).toEqual([]);
  });
});

describe("a sink that cannot be opened is refused", () => {
  test.each<[what: string, settings: (inside: string) => { readonly [key: string]: string }, words: readonly string[]]>([
    [
      "a folder that is not there",
      (inside) => ({ "audit.file.path": join(inside, "no", "audit.log") }),
      ["audit.file.path", "does not exist"],
    ],
    ["a folder instead of a file", (inside) => ({ "audit.file.path": inside }), ["audit.file.path", "EISDIR"]],
    [
      "an additional path",
      (inside) => ({ "audit.file.path": join(inside, "a.log"), "audit.file.additionalPaths": join(inside, "no", "b.log") }),
      ["audit.file.additionalPaths", "does not exist"],
    ],
    ["a database without a folder", () => ({ "audit.backend": "local" }), ["audit.local.storagePath"]],
    [
      "a database where a file is in the way",
      (inside) => {
        writeFileSync(join(inside, "file"), "");
        return { "audit.backend": "local", "audit.local.storagePath": join(inside, "file") };
      },
      ["audit.local.storagePath", "EEXIST"],
    ],
    [
      "a database that is none",
      (inside) => {
        mkdirSync(join(inside, "db"));
        writeFileSync(join(inside, "db", "audit.db"), "this is no database, whatever its name says".repeat(100));
        chmodSync(join(inside, "db", "audit.db"), 0o600);
        return { "audit.backend": "local", "audit.local.storagePath": join(inside, "db") };
      },
      ["audit.local.storagePath", "not a database"],
    ],
  ])("%s", async (_what, settings, words) => {
    const inside = folder();
    const refused: unknown = await openSink(configWith(settings(inside)), recordLog()).catch((error: unknown) => error);
    expect(refused).toMatchObject({ name: "Refusal" });
    for (const word of words) expect(String(refused)).toContain(word);
    await eventually(
      () => openFilesIn(inside),
      (files) => files.length === 0,
    );
  });
});
