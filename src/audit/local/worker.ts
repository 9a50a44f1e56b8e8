/** The database thread: owns the database of entries, so that the main thread never waits for the disk. */
import { parentPort, workerData } from "node:worker_threads";
import { codeOf, messageOf } from "../../refusal.ts";
import { openEntryDatabase, type EntryDatabase } from "./database.ts";
import type { Answer, Question, Work } from "./thread.ts";

// `thread.ts` passes exactly this.
const { folder } = workerData as Work;
let database: EntryDatabase | undefined;
/** The database was removed, and this has not been reported yet. */
let untold = false;

parentPort?.on("message", ({ id, ask }: { readonly id: number; readonly ask: Question }) => {
  let answer: Answer;
  try {
    answer = { rows: answerTo(ask) };
  } catch (error) {
    answer = { message: messageOf(error), code: codeOf(error) };
  }
  parentPort?.postMessage({ id, answer });
  if (ask.kind === "close") parentPort?.close();
});

function answerTo(ask: Question): readonly { readonly callId: string; readonly text: string }[] {
  if (ask.kind === "close") {
    database?.close();
    return [];
  }
  letGoUnlessInPlace();
  if (ask.kind === "add" || ask.kind === "tend") tell();
  database ??= openEntryDatabase(folder);
  switch (ask.kind) {
    case "open":
    case "tend":
      return [];
    case "add":
      database.add(ask.rows, ask.mostAtOnce);
      // The file may have been removed during the write, so the entries are delivered again, into a new one.
      letGoUnlessInPlace();
      tell();
      return [];
    case "read":
      return database.read(ask.page);
    case "remove":
      while (database.removeBefore(ask.before, 500) > 0);
      return [];
  }
}

/** Closes a database whose file was removed or replaced, because what is written there is lost. */
function letGoUnlessInPlace(): void {
  if (database === undefined || database.isInPlace()) return;
  untold = true;
  const before = database;
  database = undefined;
  before.close();
}

/** Throws once for each lost database: the caller counts and logs it. */
function tell(): void {
  if (!untold) return;
  untold = false;
  throw new Error("its file was removed or replaced, and what it held with it; another is begun");
}
