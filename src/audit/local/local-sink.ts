/** The sink that stores entries in a local database, where the administration API can query them. */
import { access, constants, mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { messageOf, refusal } from "../../refusal.ts";
import { ulidTime } from "../../ulid.ts";
import { textOf } from "../entry.ts";
import { openEntryQueue } from "../entry-queue.ts";
import { openOutbox } from "../outbox.ts";
import type { SinkConfig, SinkOptions } from "../sink-options.ts";
import type { AuditQuery, Entry, Sink } from "../sink.ts";
import type { Row } from "./database.ts";
import { startDatabaseThread, type DatabaseThread } from "./thread.ts";

const pageRows = 100;
const hour = 3_600_000;

/** Opens the database; rejects with a refusal when that fails. */
export async function openLocalSink(config: SinkConfig, options: SinkOptions): Promise<Sink> {
  const { log } = options;
  const folder = config["audit.local.storagePath"];
  const retention = config["audit.local.retentionPeriod"];
  const thread = await openThread(folder, retention);
  const maxBatchSize = config["audit.local.advanced.maxBatchSize"];
  const outbox = openOutbox(
    openEntryQueue(),
    {
      name: `the audit database in ${folder}`,
      deliver: async ({ entries }) => {
        await thread.ask({ kind: "add", rows: entries.map(row), maxAtOnce: maxBatchSize });
        return { delivered: entries.length };
      },
      maintain: async () => {
        await thread.ask({ kind: "tend" });
      },
      close: async () => {
        await thread.ask({ kind: "close" });
      },
    },
    {
      ...options,
      delayMilliseconds: config["audit.local.advanced.flushInterval"],
      enoughEntries: Math.min(maxBatchSize, config["audit.local.advanced.bufferSize"]),
      enoughSize: 2 ** 20,
    },
  );

  let closing = false;
  const removeOld = (): void => {
    thread.ask({ kind: "remove", before: firstId(Date.now() - retention) }).catch((error: unknown) => {
      if (closing) return; // the next start removes the rest
      log.error({ "error.message": messageOf(error) }, `old audit entries cannot be removed: ${messageOf(error)}`);
    });
  };
  const interval = config["audit.local.advanced.gcInterval"];
  const collector = interval === 0 ? undefined : setInterval(removeOld, interval).unref();
  if (interval !== 0) removeOld();

  return {
    write: outbox.send,
    query: async function* (query) {
      await outbox.flush();
      yield* read(thread, query, retention);
    },
    close: async (milliseconds) => {
      closing = true;
      clearInterval(collector);
      await outbox.close(milliseconds);
      await thread.terminate();
    },
  };
}

async function openThread(folder: string, retention: number): Promise<DatabaseThread> {
  if (folder === "") throw refusal("the local audit backend needs a folder (setting audit.local.storagePath)");
  if (retention < hour || retention > 720 * hour)
    throw refusal("audit entries can be kept from 1h to 720h (setting audit.local.retentionPeriod)");
  const path = resolve(folder);
  let thread: DatabaseThread | undefined;
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await access(path, constants.W_OK);
    thread = startDatabaseThread({ folder: path });
    await thread.ask({ kind: "open" });
    return thread;
  } catch (error) {
    await thread?.terminate();
    throw refusal(`the audit database in ${folder} cannot be opened (setting audit.local.storagePath): ${messageOf(error)}`);
  }
}

const row = (entry: Entry): Row => ({ kind: entry.kind, callId: entry.callId, text: textOf(entry) });

// Call ids begin with their time, so that their order is that of the calls.
const firstId = (milliseconds: number): string => ulidTime(Math.max(0, milliseconds)) + "0".repeat(16);
const afterAll = "~";

/** Reads page by page, so that a query for a month of entries does not fill the memory. */
async function* read(thread: DatabaseThread, { kind, filter }: AuditQuery, retention: number): AsyncGenerator<string> {
  const now = Date.now();
  const newestFirst = filter.kind === "tail";
  let { from, before } = rangeOf(filter, now);
  // Entries beyond the retention are not returned, even before they are removed.
  from = laterOf(from, firstId(now - retention));
  let left = filter.kind === "tail" ? filter.count : Number.POSITIVE_INFINITY;
  while (left > 0) {
    const limit = Math.min(pageRows, left);
    const rows = await thread.ask({ kind: "read", page: { kind, from, before, newestFirst, limit } });
    for (const { text } of rows) yield text;
    const end = rows.at(-1);
    if (end === undefined || rows.length < limit) return;
    left -= rows.length;
    if (newestFirst) before = end.callId;
    else from = `${end.callId}0`;
  }
}

/** Returns the range of call ids for a filter: from (inclusive), before (exclusive). */
function rangeOf(filter: AuditQuery["filter"], now: number): { readonly from: string; readonly before: string } {
  switch (filter.kind) {
    case "tail":
      return { from: "", before: afterAll };
    case "between":
      return { from: firstId(filter.start), before: firstId(filter.end + 1) };
    case "since":
      // Without an end, a list would never end on a server to which calls come faster than the list is read.
      return { from: firstId(now - filter.milliseconds), before: firstId(now + 1) };
    case "lookup":
      return { from: filter.callId, before: `${filter.callId}0` };
  }
}

const laterOf = (one: string, other: string): string => (one > other ? one : other);
