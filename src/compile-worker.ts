/** The thread that reads the store and compiles: it opens the store it is told to, posts every outcome, and answers what it is asked. */
import { parentPort, workerData } from "node:worker_threads";
import type { Outcome } from "./compile-loop.ts";
import type { CompileWork, FromThread, ToThread } from "./compile-thread.ts";
import type { StoreEvent } from "./observe/events.ts";
import { openStore, watches } from "./store/index.ts";
import { openTrials } from "./trial/trial.ts";

// The owner of this thread, compile-thread.ts, passes exactly this.
const { storage, schemas, administered } = workerData as CompileWork;
const say = (said: FromThread): void => parentPort?.postMessage(said);
const observe = (event: StoreEvent): void => say({ kind: "observed", event });
const trials = openTrials((result, milliseconds) => observe({ kind: "bundle tried", result, milliseconds }));
const opened = await openStore(storage, trials);
const told = {
  watch: watches(storage),
  post: (outcome: Outcome) => {
    if (outcome.kind !== "set" && outcome.kind !== "change") return say({ kind: "outcome", outcome });
    for (const text of outcome.text) say({ kind: "piece", text });
    say({ kind: "outcome", outcome: { ...outcome, text: [] } });
  },
  polled: () => say({ kind: "polled" }),
  ...(schemas !== undefined && { schemas }),
  ...(administered !== undefined && { administered }),
} as const;
// Who serves what was compiled elsewhere does not wait for a compiler.
const loop =
  opened.kind === "bundle"
    ? (await import("./bundle-loop.ts")).followBundle({ store: opened.store, observe, ...told })
    : (await import("./compile-loop.ts")).followStore({ store: opened.store, ...told });

parentPort?.on("message", (message: ToThread) => {
  if (message.kind === "whole") return loop.tellWhole();
  const { id, command } = message;
  loop.ask(command).then(
    (answer) => say({ kind: "answer", id, answer }),
    (error: unknown) => say({ kind: "failed", id, error: error instanceof Error ? error : new Error(String(error)) }),
  );
});
