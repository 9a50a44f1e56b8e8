/** `authz server`: serves until it is stopped. */
import { Command } from "commander";
import { readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { isatty } from "node:tty";
import { variablesOfServer, warningsOfFormerVariables } from "../config/former-variables.ts";
import { configurationFile, loadConfigOrThrow } from "../config/load.ts";
import type { Config } from "../config/settings.ts";
import type { LogLevel } from "../config/setting-types.ts";
import { decideLevel, logOf, openLog, warningsOfLevel, type Log, type OpenLog } from "../observe/log.ts";
import { openTemporaryDebug } from "../observe/temporary-level.ts";
import { clientHost } from "../server/connections/listen.ts";
import type { RunningServer } from "../server/start/start.ts";
import { openServiceManager } from "../process/service-manager.ts";
import { openUncaughtErrors } from "../process/uncaught-errors.ts";
import { version } from "../version.ts";
import { workerCount } from "../workers/worker-count.ts";
import { collect, exitCodes, logLevelOption, singleFile, type CommandLine } from "./command.ts";
import { quoteForShell } from "./quote-for-shell.ts";

interface ServerFlags {
  readonly config?: string;
  readonly set: readonly string[];
  readonly logLevel?: LogLevel;
}

/** Describes the command. */
export function serverCommand(line: CommandLine): Command {
  return new Command("server")
    .description("serve decisions over HTTP and gRPC")
    .option(
      "--config <file>",
      "configuration file (AUTHZ_CONFIG); without one: the policies in ./policies, HTTP on :3592, gRPC on :3593",
      singleFile,
    )
    .option("--set <key=value>", "override one setting; may be repeated", collect, [])
    .option("--log-level <level>", "debug, info, warn or error (AUTHZ_LOG_LEVEL; default: server.logLevel, which is info)", logLevelOption)
    .action(async (flags: ServerFlags) => line.finish(await serve(line, flags)));
}

async function serve(line: CommandLine, flags: ServerFlags): Promise<number> {
  const { environment, terminal } = line;
  const file = configurationFile(flags.config, environment);
  const { config, problems } = loadConfigOrThrow(file, flags.set, environment);

  const asked = environment["AUTHZ_LOG_LEVEL"];
  const open = openLog({
    level: decideLevel(asked, flags.logLevel, config["server.logLevel"]),
    terminal,
    errorTerminal: isatty(2),
    colour: (environment["NO_COLOR"] ?? "") === "",
  });
  const log = logOf(open.log, "authz.server");
  log.info(`authz ${version}, ${file === undefined ? "without a configuration file" : `configured by ${file}`}`);
  for (const problem of problems) log.warn(`${problem.place}: ${problem.message}`);
  for (const warning of [...warningsOfFormerVariables(environment, variablesOfServer(file)), ...warningsOfLevel(asked)]) log.warn(warning);

  const debug = openTemporaryDebug(open, environment["AUTHZ_TEMP_LOG_LEVEL_DURATION"]);
  process.on("SIGUSR1", debug.begin);
  const hangUp = ignoreHangUps(log);
  const uncaught = openUncaughtErrors(log);
  try {
    return await Promise.race([serveUntilStopped(line, file, config, open, log), uncaught.happened.then(() => exitCodes.failed)]);
  } finally {
    uncaught.close();
    process.off("SIGUSR1", debug.begin);
    hangUp.close();
    debug.close();
    await open.flush(flushMilliseconds);
  }
}

/** How many milliseconds the process waits at most for its log to be written. */
const flushMilliseconds = 1000;

async function serveUntilStopped(line: CommandLine, file: string | undefined, config: Config, open: OpenLog, log: Log): Promise<number> {
  const server = await startAll(config, open, line.environment);
  const manager = openServiceManager(line.environment, log);
  const stop = stopSignals(); // Installed before readiness is announced, because we may be stopped right after it.
  manager.ready();
  await open.flush(flushMilliseconds);
  // A log that machines read has no line that is not JSON. Whoever tries authz out has no configuration.
  const sample = line.terminal || file === undefined ? sampleRequest(config, server) : undefined;
  if (sample !== undefined) open.print(`${sample}\n`);
  await Promise.race([stop.first, ...(server.failed === undefined ? [] : [server.failed])]);
  manager.stopping();
  return await Promise.race([server.stop().then(() => 0), stop.second.then(() => 1)]);
}

/** Imports the code for several processes only where it is used. */
async function startAll(config: Config, open: OpenLog, environment: CommandLine["environment"]): Promise<RunningServer> {
  const count = workerCount(config["server.workers"]);
  if (count === 1) return (await import("../server/start/start.ts")).startServer(config, open.log, environment);
  return (await import("../workers/primary.ts")).startWorkers(config, { count, open, environment });
}

/**
 * Returns whether this process has a terminal: SIGHUP then means that the terminal was closed. Without one, SIGHUP asks a daemon to
 * reread its files, which happens here anyway.
 */
const hasTerminal = (): boolean => isatty(0);

/** Ignores SIGHUP where there is no terminal. */
function ignoreHangUps(log: Log): { readonly close: () => void } {
  let said = false;
  const ignore = (): void => {
    if (!said)
      log.info("SIGHUP changes nothing: changed and moved files are noticed without it, and the configuration is only read at the start");
    said = true;
  };
  if (!hasTerminal()) process.on("SIGHUP", ignore);
  return { close: () => void process.off("SIGHUP", ignore) };
}

/** Resolves at the first signal to stop, and at the second, from a user for whom stopping takes too long. */
function stopSignals(): { readonly first: Promise<void>; readonly second: Promise<void> } {
  const next = (...names: readonly NodeJS.Signals[]): Promise<void> =>
    new Promise((resolve) => {
      for (const signal of names) process.once(signal, () => resolve());
    });
  const first = next("SIGTERM", "SIGINT", ...(hasTerminal() ? (["SIGHUP"] as const) : []));
  // When a terminal is closed, SIGHUP arrives twice, from the terminal and from its shell; the second does not mean impatience.
  if (hasTerminal()) process.on("SIGHUP", () => undefined);
  return { first, second: first.then(() => next("SIGTERM", "SIGINT")) };
}

/** Returns an example command for the shell when there is a directory `requests` beside the policies, as in the tour. */
function sampleRequest(config: Config, server: RunningServer): string | undefined {
  if (server.http.kind !== "tcp" || config["storage.driver"] !== "disk") return undefined;
  const folder = join(dirname(config["storage.disk.directory"]), "requests");
  const [request] = namesIn(folder)
    .filter((name) => name.endsWith(".json"))
    .sort();
  if (request === undefined) return undefined;
  const path = relative(process.cwd(), join(folder, request));
  return `curl -s 'http://${clientHost(server.http)}/api/check/resources?pretty' -H content-type:application/json -d @${quoteForShell(path)}`;
}

/** Lists a directory; what is there may be something else, or closed to us, which must not stop a server. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
