/** The thread that reads the store and compiles: it opens the store it is told to, posts every outcome, and answers what it is asked. */
import { parentPort, workerData } from "node:worker_threads";
import { followStore } from "./compile-loop.ts";
import type { CompileWork, FromThread, ToThread } from "./compile-thread.ts";
import { openStore, watches } from "./store/index.ts";

// The owner of this thread, compile-thread.ts, passes exactly this.
const { storage, schemas, administered } = workerData as CompileWork;
const say = (said: FromThread): void => parentPort?.postMessage(said);
const loop = followStore({
  store: openStore(storage),
  watch: watches(storage),
  post: (outcome) => say({ kind: "outcome", outcome }),
  polled: () => say({ kind: "polled" }),
  ...(schemas !== undefined && { schemas }),
  ...(administered !== undefined && { administered }),
});

parentPort?.on("message", (told: ToThread) => {
  if (told.kind === "whole") return loop.tellWhole();
  const { id, command } = told;
  loop.ask(command).then(
    (answer) => say({ kind: "answer", id, answer }),
    (error: unknown) => say({ kind: "failed", id, error: error instanceof Error ? error : new Error(String(error)) }),
  );
});
