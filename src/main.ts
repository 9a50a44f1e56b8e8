#!/usr/bin/env node
/** The process `authz`. */
import type { Run } from "./cli/run-program.ts";
import { runToEnd } from "./process/run-to-end.ts";

/** A server starts often, and others wait for it: it has a script of its own. What cannot be loaded here is told in a sentence. */
async function load(): Promise<Run> {
  if (process.argv[2] !== "server") return (await import("./cli/index.ts")).run;
  return (await import("./scripts/kept-script.ts")).loadScript("server-script").exports.run;
}

await runToEnd("authz", load, (code) => process.exit(code));
