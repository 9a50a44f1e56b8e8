/** The thread that reads the store and compiles, seen from the thread that answers: what it tells, what it is asked, and what becomes of it when it fails. */
import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { artefact } from "../artefact.ts";
import type { Answers, Command } from "./commands.ts";
import type { SchemaRules } from "../schemas/check.ts";
import type { InForce } from "./kept-stamps.ts";
import { isGood, type Outcome } from "./outcome.ts";
import { handedOver } from "../texts/in-pieces.ts";
import type { StoreEvent } from "../observe/events.ts";
import { refusal } from "../refusal.ts";
import { leaveHeapsAlone } from "../process/steady-heap.ts";
import type { StorageConfig } from "../store/storage.ts";

/** What the thread is given: plain data. */
export interface CompileWork {
  readonly storage: StorageConfig;
  /** Absent when attributes are not validated: then nobody looks at schemas. */
  readonly schemas?: SchemaRules;
  /** Present when the store may be changed through the program. */
  readonly administered?: SchemaRules;
  /** The folder in which compiled policies are kept for the next start; absent: nowhere. */
  readonly cacheDir?: string;
  /** By what the policies of a kept set are known again; absent: by their contents. */
  readonly cacheTrust?: "stamps" | "contents";
  /** What was put in force before the thread began: it need not be told again. */
  readonly inForce?: InForce;
}

/** What the thread says. */
export type FromThread =
  /** Of the text of the set or change that is told of next. */
  | { readonly kind: "pieces"; readonly texts: readonly string[] }
  | { readonly kind: "outcome"; readonly outcome: Outcome }
  | { readonly kind: "polled" }
  | { readonly kind: "observed"; readonly event: StoreEvent }
  | { readonly kind: "answer"; readonly id: number; readonly answer: Answers[keyof Answers] }
  /** A bug of ours; the thread goes on. */
  | { readonly kind: "failed"; readonly id: number; readonly error: Error }
  /** Nothing of the store is open any more, and nothing on its way to it. */
  | { readonly kind: "closed" };

/** What the thread is told. */
export type ToThread =
  | { readonly kind: "whole" }
  | { readonly kind: "ask"; readonly id: number; readonly command: Command }
  | { readonly kind: "close" };

/** Who is told of what. */
export interface ThreadOptions extends CompileWork {
  readonly outcome: (outcome: Outcome) => void;
  readonly polled: () => void;
  readonly observed: (event: StoreEvent) => void;
  /** The thread has ended with an error. It is started again, unless `restarts` says otherwise. */
  readonly failed: (error: unknown, again: boolean) => void;
  /** Whether it is worth starting again: not where the store ended with it. */
  readonly restarts: boolean;
  /** Answers wait until this is done: what was told before them is taken in first. */
  readonly whenTakenIn: () => Promise<void>;
}

/** The thread. */
export interface CompileThread {
  /** Resolves with the first outcome; rejects when there is none. */
  readonly first: Promise<Outcome>;
  /** Rejects, with a refusal, when the thread ended before it answered. */
  readonly ask: <C extends Command>(command: C) => Promise<Answers[C["kind"]]>;
  readonly tellWhole: () => void;
  readonly close: () => Promise<void>;
}

interface Asked {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: unknown) => void;
}

const restartMilliseconds = 1000;

/** A thread that is ended while a file is being opened leaves it open: so long it may take to finish what it is at. */
const closeMilliseconds = 1000;

/** What is compiled is kept, and seldom dies young: more room for the young would only be more memory. */
const youngMegabytes = 12;

/** Starts the thread. */
export function startCompileThread(options: ThreadOptions): CompileThread {
  const { storage, schemas, administered, cacheDir, cacheTrust, inForce } = options;
  const work: CompileWork = {
    storage,
    ...(schemas !== undefined && { schemas }),
    ...(administered !== undefined && { administered }),
    ...(cacheDir !== undefined && { cacheDir }),
    ...(cacheTrust !== undefined && { cacheTrust }),
  };
  const waiting = new Map<number, Asked>();
  let lastId = 0;
  let worker: Worker | undefined;
  let closing = false;
  let hasClosed: () => void = () => undefined;
  let heard: (outcome: Outcome) => void = () => undefined;

  const start = (already: Pick<CompileWork, "inForce">): void => {
    const started = new Worker(artefact("compile-worker.js"), {
      workerData: { ...work, ...already },
      name: "compile",
      resourceLimits: { maxYoungGenerationSizeMb: youngMegabytes },
    });
    let why: unknown = refusal("the compile thread ended by itself");
    let pieces: string[] = [];
    started.on("message", (said: FromThread) => {
      if (said.kind === "pieces") return void pieces.push(...said.texts);
      if (said.kind === "outcome") {
        const outcome = isGood(said.outcome) ? { ...said.outcome, text: handedOver(pieces) } : said.outcome;
        pieces = [];
        options.outcome(outcome);
        return heard(outcome);
      }
      if (said.kind === "polled") return options.polled();
      if (said.kind === "observed") return options.observed(said.event);
      if (said.kind === "closed") return hasClosed();
      const asked = waiting.get(said.id);
      waiting.delete(said.id);
      if (said.kind === "failed") return asked?.reject(said.error);
      // Which kind of answer belongs to an id is known to whoever asked.
      void options.whenTakenIn().then(() => asked?.resolve(said.answer as never), asked?.reject);
    });
    started.on("error", (error) => void (why = error));
    started.on("exit", () => {
      worker = undefined;
      hasClosed();
      for (const asked of waiting.values())
        asked.reject(
          refusal(
            "the compile thread failed before it was done: what it was asked to do may or may not have been done; check, and try again",
          ),
        );
      waiting.clear();
      if (closing) return;
      options.failed(why, options.restarts);
      if (options.restarts) setTimeout(() => void (closing || start({})), restartMilliseconds).unref();
    });
    worker = started;
  };
  const say = (message: ToThread): void => worker?.postMessage(message);

  leaveHeapsAlone();
  // What is in force when it is started again is not known here.
  start(inForce === undefined ? {} : { inForce });
  return {
    first: new Promise((resolve, reject) => {
      heard = resolve;
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
        waiting.set(id, { resolve, reject });
        say({ kind: "ask", id, command });
      }),
    tellWhole: () => say({ kind: "whole" }),
    close: async () => {
      closing = true;
      if (worker === undefined) return;
      say({ kind: "close" });
      const patience = new AbortController();
      const closed = new Promise<void>((resolve) => void (hasClosed = resolve));
      await Promise.race([closed, delay(closeMilliseconds, undefined, { signal: patience.signal }).catch(() => undefined)]);
      patience.abort();
      await worker?.terminate();
    },
  };
}
