#!/usr/bin/env node
/** The process `authz`. */
import { runToEnd } from "./run-to-end.ts";

await runToEnd(
  async () => (await import("./cli/index.ts")).run,
  (code) => process.exit(code),
);
