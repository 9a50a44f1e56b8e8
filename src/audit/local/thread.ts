/** The interface to the database thread: each request returns a promise. */
import { Worker } from "node:worker_threads";
import { artefact } from "../../artefact.ts";
import type { Page, Row } from "./database.ts";

/** The data that the thread is started with. */
export interface DatabaseThreadData {
  readonly folder: string;
}

/** The requests. */
export type DatabaseRequest =
  | { readonly kind: "open" }
  | { readonly kind: "add"; readonly rows: readonly Row[]; readonly maxAtOnce: number }
  | { readonly kind: "read"; readonly page: Page }
  | { readonly kind: "remove"; readonly before: string }
  /** Checks whether the database file is still in place. */
  | { readonly kind: "tend" }
  | { readonly kind: "close" };

/** The answer: rows, which are empty for most requests, or an error. */
export type DatabaseResponse =
  | { readonly rows: readonly Pick<Row, "callId" | "text">[] }
  | { readonly message: string; readonly code: string | undefined };

/** A running thread. */
export interface DatabaseThread {
  readonly ask: (question: DatabaseRequest) => Promise<readonly Pick<Row, "callId" | "text">[]>;
  readonly terminate: () => Promise<void>;
}

/** Starts the thread. It keeps the process alive only while a request is pending. */
export function startDatabaseThread(work: DatabaseThreadData): DatabaseThread {
  const worker = new Worker(artefact("audit-worker.js"), { workerData: work });
  const asked = new Map<number, (answer: DatabaseResponse) => void>();
  let last = 0;
  let ended: DatabaseResponse | undefined;
  const end = (message: string): void => {
    ended ??= { message, code: undefined };
    for (const settle of asked.values()) settle(ended);
    asked.clear();
  };
  worker.on("message", ({ id, answer }: { readonly id: number; readonly answer: DatabaseResponse }) => {
    asked.get(id)?.(answer);
    asked.delete(id);
    if (asked.size === 0) worker.unref();
  });
  worker.on("error", (error: unknown) => end(error instanceof Error ? error.message : String(error)));
  worker.on("exit", () => end("the thread of the audit database ended"));
  worker.unref();

  return {
    ask: (question) =>
      new Promise((resolve, reject) => {
        const settle = (answer: DatabaseResponse): void => {
          if ("rows" in answer) resolve(answer.rows);
          else reject(Object.assign(new Error(answer.message), answer.code !== undefined && { code: answer.code }));
        };
        if (ended !== undefined) return settle(ended);
        worker.ref();
        asked.set(++last, settle);
        worker.postMessage({ id: last, ask: question });
      }),
    terminate: async () => void (await worker.terminate()),
  };
}
