#!/usr/bin/env node
/** The entry point of `authz`. */
import type { Run } from "./cli/run-program.ts";
import { runToEnd } from "./process/run-to-end.ts";

/**
 * The server has a script of its own, because it is started often, and others wait for it. It is imported here, so that a failure to
 * load it is reported in one sentence.
 */
async function load(): Promise<Run> {
  if (process.argv[2] !== "server") return (await import("./cli/index.ts")).run;
  return (await import("./scripts/load-script.ts")).loadScript("server-script").exports.run;
}

await runToEnd("authz", load, (code) => process.exit(code));
