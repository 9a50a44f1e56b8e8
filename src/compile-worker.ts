/** The thread that reads the store and compiles: it opens the store it is told to and posts every outcome. */
import { parentPort, workerData } from "node:worker_threads";
import { followStore } from "./compile-loop.ts";
import type { CompileWork } from "./live.ts";
import { openStore, watches } from "./store/index.ts";

// The owner of this thread, live.ts, passes exactly this.
const { storage, schemas } = workerData as CompileWork;
const loop = followStore({
  store: openStore(storage),
  watch: watches(storage),
  post: (outcome) => parentPort?.postMessage(outcome),
  ...(schemas !== undefined && { schemas }),
});

// The owner has but one thing to say: that it could not build on what it has.
parentPort?.on("message", () => loop.tellWhole());
