/** The thread that keeps the database of entries: the thread that answers requests never waits for a disk. */
import { parentPort, workerData } from "node:worker_threads";
import { codeOf, messageOf } from "../../refusal.ts";
import { openEntryDatabase, type EntryDatabase } from "./database.ts";
import type { Answer, Question, Work } from "./thread.ts";

// The owner of this thread, thread.ts, passes exactly this.
const { folder } = workerData as Work;
let database: EntryDatabase | undefined;

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
  database ??= openEntryDatabase(folder);
  switch (ask.kind) {
    case "open":
      return [];
    case "add":
      database.add(ask.rows, ask.mostAtOnce);
      return [];
    case "read":
      return database.read(ask.page);
    case "remove":
      while (database.removeBefore(ask.before, 500) > 0);
      return [];
    case "close":
      database.close();
      return [];
  }
}
