/** `authz server`: serves until it is told to stop. */
import { Command } from "commander";
import { existsSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { demandConfig } from "../config/load.ts";
import type { Config } from "../config/settings.ts";
import type { LogLevel } from "../config/type.ts";
import { decideLevel, logOf, openLog } from "../observe/log.ts";
import { clientHost } from "../server/listen.ts";
import { startServer, type RunningServer } from "../server/start.ts";
import { version } from "../version.ts";
import { collect, logLevelOption, type CommandLine } from "./command.ts";

interface ServerFlags {
  readonly config?: string;
  readonly set: readonly string[];
  readonly logLevel?: LogLevel;
}

/** Describes the command. */
export function serverCommand(line: CommandLine): Command {
  return new Command("server")
    .description("serve decisions over HTTP and gRPC")
    .option("--config <file>", "configuration file (AUTHZ_CONFIG); without one: the policies in ./policies, HTTP on :3592, gRPC on :3593")
    .option("--set <key=value>", "override one setting; may be repeated", collect, [])
    .option("--log-level <level>", "debug, info, warn or error", logLevelOption)
    .action(async (flags: ServerFlags) => line.finish(await serve(line, flags)));
}

async function serve(line: CommandLine, flags: ServerFlags): Promise<number> {
  const file = flags.config ?? line.environment["AUTHZ_CONFIG"];
  const { config, problems } = demandConfig(file, flags.set, line.environment);

  const level = decideLevel(line.environment["AUTHZ_LOG_LEVEL"], flags.logLevel, config["server.logLevel"]);
  const { log: root, flush } = openLog({ level, terminal: line.terminal });
  const log = logOf(root, "authz.server");
  try {
    log.info(`authz ${version}, ${file === undefined ? "without a configuration file" : `configured by ${file}`}`);
    for (const problem of problems) log.warn(`${problem.place}: ${problem.message}`);
    const server = await startServer(config, root);
    const stop = signals();
    flush();
    const sample = sampleRequest(config, server);
    if (sample !== undefined) line.out(`${sample}\n`);
    await stop.first;
    return await Promise.race([server.stop().then(() => 0), stop.second.then(() => 1)]);
  } finally {
    flush();
  }
}

/** Resolves at the first signal to stop, and at the second, for whom waiting takes too long. */
function signals(): { readonly first: Promise<void>; readonly second: Promise<void> } {
  const next = (): Promise<void> =>
    new Promise((resolve) => {
      for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve());
    });
  const first = next();
  return { first, second: first.then(next) };
}

/** Returns a line to paste into a shell when a folder `requests` with a request lies beside the policies, as in the tour. */
function sampleRequest(config: Config, server: RunningServer): string | undefined {
  if (server.http.kind !== "tcp") return undefined;
  const folder = join(dirname(config["storage.disk.directory"]), "requests");
  const [request] = existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith(".json"))
        .sort()
    : [];
  if (request === undefined) return undefined;
  const path = relative(process.cwd(), join(folder, request));
  return `curl -s 'http://${clientHost(server.http)}/api/check/resources?pretty' -H content-type:application/json -d @${shellWord(path)}`;
}

function shellWord(text: string): string {
  return /^[\w./@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
