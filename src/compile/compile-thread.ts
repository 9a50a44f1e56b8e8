/** The compile thread, as the main thread sees it: its messages, commands to it, and its restart after a failure. */
import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { artefact } from "../artefact.ts";
import type { Answers, Command } from "./commands.ts";
import type { SchemaRules } from "../schemas/check.ts";
import type { SetInForce } from "./stamp-cache.ts";
import { isGoodOutcome, type Outcome } from "./outcome.ts";
import { readOnce } from "../texts/in-pieces.ts";
import type { StoreEvent } from "../observe/events.ts";
import { refusal } from "../refusal.ts";
import { disableMemoryReducer } from "../process/garbage-collection.ts";
import type { StorageConfig } from "../store/storage.ts";

/** The data that the thread is started with. */
export interface CompileThreadData {
  readonly storage: StorageConfig;
  /** Absent when attributes are not validated: schemas are then not checked. */
  readonly schemas?: SchemaRules;
  /** Present when the administration API can change the store. */
  readonly administered?: SchemaRules;
  /** The directory for compiled policies that the next start may use; absent: none. */
  readonly cacheDir?: string;
  /** How the policies of a cached set are recognised; default: by their contents. */
  readonly cacheTrust?: "stamps" | "contents";
  /** The set that was put in force before the thread was started, and need not be posted again. */
  readonly inForce?: SetInForce;
}

/** The messages of the thread. */
export type FromThread =
  /** Pieces of the JSON of the set or change that is posted next. */
  | { readonly kind: "pieces"; readonly texts: readonly string[] }
  | { readonly kind: "outcome"; readonly outcome: Outcome }
  | { readonly kind: "polled" }
  | { readonly kind: "observed"; readonly event: StoreEvent }
  | { readonly kind: "answer"; readonly id: number; readonly answer: Answers[keyof Answers] }
  /** A bug of ours; the thread continues. */
  | { readonly kind: "failed"; readonly id: number; readonly error: Error }
  /** The store is closed, and no request to it is pending. */
  | { readonly kind: "closed" };

/** The messages to the thread. */
export type ToThread =
  | { readonly kind: "whole" }
  | { readonly kind: "ask"; readonly id: number; readonly command: Command }
  | { readonly kind: "close" };

/** The callbacks. */
export interface ThreadOptions extends CompileThreadData {
  readonly outcome: (outcome: Outcome) => void;
  readonly polled: () => void;
  readonly observed: (event: StoreEvent) => void;
  /** The thread has ended with an error. It is restarted if `again`. */
  readonly failed: (error: unknown, again: boolean) => void;
  /** Whether to restart the thread: not when the store's contents ended with it. */
  readonly restarts: boolean;
  /** Answers are delayed until this resolves, so that what was posted before them is in force. */
  readonly whenActive: () => Promise<void>;
}

/** The thread. */
export interface CompileThread {
  /** Resolves to the first outcome; rejects when there is none. */
  readonly first: Promise<Outcome>;
  /** Executes a command. Rejects with a refusal when the thread ends before it answers. */
  readonly ask: <C extends Command>(command: C) => Promise<Answers[C["kind"]]>;
  readonly postWholeSet: () => void;
  readonly close: () => Promise<void>;
}

interface PendingCommand {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: unknown) => void;
}

const restartMilliseconds = 1000;

/** How many milliseconds the thread may take to finish: one that is terminated while it opens a file leaves it open. */
const closeMilliseconds = 1000;

/** The size of the young generation in MB: most of what is compiled is kept, so that a larger one would only use more memory. */
const youngGenerationMegabytes = 12;

/** Starts the thread. */
export function startCompileThread(options: ThreadOptions): CompileThread {
  const { storage, schemas, administered, cacheDir, cacheTrust, inForce } = options;
  const work: CompileThreadData = {
    storage,
    ...(schemas !== undefined && { schemas }),
    ...(administered !== undefined && { administered }),
    ...(cacheDir !== undefined && { cacheDir }),
    ...(cacheTrust !== undefined && { cacheTrust }),
  };
  const pending = new Map<number, PendingCommand>();
  let lastId = 0;
  let worker: Worker | undefined;
  let closing = false;
  let onClosed: () => void = () => undefined;
  let onFirstOutcome: (outcome: Outcome) => void = () => undefined;

  const start = (already: Pick<CompileThreadData, "inForce">): void => {
    const started = new Worker(artefact("compile-worker.js"), {
      workerData: { ...work, ...already },
      name: "compile",
      resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMegabytes },
    });
    let why: unknown = refusal("the compile thread ended by itself");
    let pieces: string[] = [];
    started.on("message", (message: FromThread) => {
      if (message.kind === "pieces") return void pieces.push(...message.texts);
      if (message.kind === "outcome") {
        const outcome = isGoodOutcome(message.outcome) ? { ...message.outcome, text: readOnce(pieces) } : message.outcome;
        pieces = [];
        options.outcome(outcome);
        return onFirstOutcome(outcome);
      }
      if (message.kind === "polled") return options.polled();
      if (message.kind === "observed") return options.observed(message.event);
      if (message.kind === "closed") return onClosed();
      const command = pending.get(message.id);
      pending.delete(message.id);
      if (message.kind === "failed") return command?.reject(message.error);
      // Whoever sent the command knows the type of its answer.
      void options.whenActive().then(() => command?.resolve(message.answer as never), command?.reject);
    });
    started.on("error", (error) => void (why = error));
    started.on("exit", () => {
      worker = undefined;
      onClosed();
      for (const command of pending.values())
        command.reject(
          refusal(
            "the compile thread failed before it was done: what it was asked to do may or may not have been done; check, and try again",
          ),
        );
      pending.clear();
      if (closing) return;
      options.failed(why, options.restarts);
      if (options.restarts) setTimeout(() => void (closing || start({})), restartMilliseconds).unref();
    });
    worker = started;
  };
  const send = (message: ToThread): void => worker?.postMessage(message);

  disableMemoryReducer();
  // After a restart, the set in force is unknown to the new thread.
  start(inForce === undefined ? {} : { inForce });
  return {
    first: new Promise((resolve, reject) => {
      onFirstOutcome = resolve;
      worker?.once("error", reject);
      worker?.once("exit", () => reject(refusal("the compile thread ended before it had read the policies")));
    }),
    ask: (command) =>
      new Promise((resolve, reject) => {
        if (worker === undefined)
          return reject(
            refusal(
              options.restarts
                ? "the compile thread failed and is being started again: try again in a moment"
                : "the compile thread failed, and the in-memory database with it: the server must be started again",
            ),
          );
        const id = ++lastId;
        pending.set(id, { resolve, reject });
        send({ kind: "ask", id, command });
      }),
    postWholeSet: () => send({ kind: "whole" }),
    close: async () => {
      closing = true;
      if (worker === undefined) return;
      send({ kind: "close" });
      const timeout = new AbortController();
      const closed = new Promise<void>((resolve) => void (onClosed = resolve));
      await Promise.race([closed, delay(closeMilliseconds, undefined, { signal: timeout.signal }).catch(() => undefined)]);
      timeout.abort();
      await worker?.terminate();
    },
  };
}
