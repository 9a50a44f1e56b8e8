#!/usr/bin/env node
/** The entry point of `authz`. */
import { isAuthoring } from "./cli/authoring-names.ts";
import type { Run } from "./cli/run-program.ts";
import { runToEnd } from "./process/run-to-end.ts";

/**
 * The server, and the commands of those who write policies, have scripts of their own, because they are started often, and others wait
 * for them. These are loaded here, so that a failure to load them is reported in one sentence.
 */
async function load(): Promise<Run> {
  const [, , name] = process.argv;
  const isServer = name === "server";
  if (!isServer && !isAuthoring(name)) return (await import("./cli/index.ts")).run;
  const { loadScript } = await import("./scripts/load-script.ts");
  return loadScript(isServer ? "server-script" : "authoring-script").exports.run;
}

await runToEnd("authz", load, (code) => process.exit(code));
