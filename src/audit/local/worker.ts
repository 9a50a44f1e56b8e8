/** The database thread: owns the database of entries, so that the main thread never waits for the disk. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { codeOf, messageOf } from "../../refusal.ts";
import { openEntryDatabase, type EntryDatabase } from "./database.ts";
import type { DatabaseResponse, DatabaseRequest, DatabaseThreadData } from "./thread.ts";

// `thread.ts` passes exactly this.
const { folder } = workerData as DatabaseThreadData;
let database: EntryDatabase | undefined;
/** The database was removed, and this has not been reported yet. */
let isLossUnreported = false;

type Rows = readonly { readonly callId: string; readonly text: string }[];

parentPort?.on("message", ({ id, ask }: { readonly id: number; readonly ask: DatabaseRequest }) => void answer(id, ask));

async function answer(id: number, ask: DatabaseRequest): Promise<void> {
  let given: DatabaseResponse;
  try {
    given = { rows: await handleRequest(ask) };
  } catch (error) {
    given = { message: messageOf(error), code: codeOf(error) };
  }
  parentPort?.postMessage({ id, answer: given });
  if (ask.kind === "close") parentPort?.close();
}

function handleRequest(ask: DatabaseRequest): Rows | Promise<Rows> {
  if (ask.kind === "close") {
    const before = database;
    database = undefined;
    before?.close();
    return [];
  }
  closeIfRemoved();
  if (ask.kind === "add" || ask.kind === "tend") reportLoss();
  database ??= openEntryDatabase(folder);
  switch (ask.kind) {
    case "open":
    case "tend":
      return [];
    case "add":
      database.add(ask.rows, ask.maxAtOnce);
      // The file may have been removed during the write, so the entries are delivered again, into a new one.
      closeIfRemoved();
      reportLoss();
      return [];
    case "read":
      return database.read(ask.page);
    case "remove":
      return removeBefore(ask.before);
  }
}

/** Removes entries in steps: hours of a busy server take long, and what comes meanwhile, to be written or read, must not wait for that. */
async function removeBefore(callId: string): Promise<Rows> {
  for (;;) {
    const removed = database?.removeBefore(callId, 500) ?? 0;
    if (removed === 0) return [];
    await nextTurn();
  }
}

/** Closes a database whose file was removed or replaced, because what is written there is lost. */
function closeIfRemoved(): void {
  if (database === undefined || database.isInPlace()) return;
  isLossUnreported = true;
  const before = database;
  database = undefined;
  before.close();
}

/** Throws once for each lost database: the caller counts and logs it. */
function reportLoss(): void {
  if (!isLossUnreported) return;
  isLossUnreported = false;
  throw new Error("its file was removed or replaced, and what it held with it; another is begun");
}
