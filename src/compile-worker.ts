/** The entry point of the compile thread. */
import { parentPort, workerData } from "node:worker_threads";
import { invariant } from "../runtime/cel/error.ts";
import type { CompileThreadData } from "./compile/compile-thread.ts";
import { loadScript } from "./scripts/load-script.ts";

invariant(parentPort !== null, "this file begins a thread");
const { follow } = loadScript("compile-script").exports;
// `compile-thread.ts` passes exactly this.
await follow(workerData as CompileThreadData, parentPort);
