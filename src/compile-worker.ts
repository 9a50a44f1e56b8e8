/** The thread that reads the store and compiles: it opens the store it is told to and posts every outcome. */
import { parentPort, workerData } from "node:worker_threads";
import { followStore } from "./compile-loop.ts";
import { openStore, watches, type StorageConfig } from "./store/index.ts";

// The owner of this thread, live.ts, passes exactly this.
const { storage } = workerData as { readonly storage: StorageConfig };
const loop = followStore({ store: openStore(storage), watch: watches(storage), post: (outcome) => parentPort?.postMessage(outcome) });

parentPort?.once("message", () => {
  void loop.close().then(() => parentPort?.close());
});
