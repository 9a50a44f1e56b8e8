/** The entry point of a worker process: one of several that serve together (`server.workers`). */
import { runToEnd } from "./process/run-to-end.ts";

await runToEnd(
  "authz",
  async () => (await import("./scripts/load-script.ts")).loadScript("server-script").exports.runWorker,
  (code) => process.exit(code),
);
