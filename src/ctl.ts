#!/usr/bin/env node
/** The process `authzctl`: the administrator's commands under a name of their own. */
import { runToEnd } from "./process/run-to-end.ts";

await runToEnd(
  "authzctl",
  async () => (await import("./cli/index.ts")).runControl,
  (code) => process.exit(code),
);
