#!/usr/bin/env node
/** The entry point of `authzctl`: the administration commands under a second name. */
import { runToEnd } from "./process/run-to-end.ts";

await runToEnd(
  "authzctl",
  async () => (await import("./cli/index.ts")).runControl,
  (code) => process.exit(code),
);
