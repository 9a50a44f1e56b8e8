/** Finds the reference binary, and makes sure that it is the version that every expectation was measured with. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** The version of npm package and binary. */
export const peerVersion = "0.51.0";

/** How to start the reference, or why it cannot be started. */
export type Located = { readonly command: readonly [string, ...string[]] } | { readonly missing: string };

/** `AUTHZ_PEER`, else the package beside the project, else npx. */
export function locatePeer(project: string): Located {
  const named = process.env["AUTHZ_PEER"];
  const installed = join(project, "node_modules/.bin/cerbos");
  const command: readonly [string, ...string[]] =
    named !== undefined && named !== "" ? [named] : existsSync(installed) ? [installed] : ["npx", "--yes", `cerbos@${peerVersion}`];
  const [program, ...args] = command;
  const { status, stdout, error } = spawnSync(program, [...args, "--version"], { encoding: "utf8", timeout: 120_000 });
  const words = command.join(" ");
  if (error !== undefined) return { missing: `${words}: ${error.message}` };
  if (status !== 0) return { missing: `${words} --version ended with ${status}` };
  const version = /\d+\.\d+\.\d+/.exec(stdout)?.[0];
  return version === peerVersion ? { command } : { missing: `${words} is version ${version}; it must be ${peerVersion}` };
}
