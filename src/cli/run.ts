/** `authz run -- COMMAND`: runs a command with a server beside it, and exits as the command does. */
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { constants } from "node:os";
import { Command, Option } from "commander";
import { variablesOfServer, warningsOfFormerVariables } from "../config/former-variables.ts";
import { configurationFile, loadConfigOrThrow } from "../config/load.ts";
import { settings, type Config } from "../config/settings.ts";
import type { LogLevel } from "../config/setting-types.ts";
import { decideLevel, logOf, logTo, warningsOfLevel, type Log } from "../observe/log.ts";
import { messageOf, refusal } from "../refusal.ts";
import { clientHost } from "../server/connections/listen.ts";
import { startServer, type RunningServer } from "../server/start/start.ts";
import { collect, durationOption, exitCodes, logLevelOption, usageError, singleFile, type CommandLine } from "./command.ts";

interface RunFlags {
  readonly config?: string;
  readonly set: readonly string[];
  readonly logLevel?: LogLevel;
  readonly timeout: number;
}

/** The configuration file that is used when none is named. */
const defaultFile = ".authz.yaml";

/** Describes the command. */
export function runCommand(line: CommandLine): Command {
  return new Command("run")
    .description("start a server, run a command beside it, and stop the server when the command ends")
    .argument("<command...>", "the command and its arguments; AUTHZ_HTTP and AUTHZ_GRPC tell it the addresses of the server")
    .passThroughOptions()
    .option(
      "--config <file>",
      `configuration file (AUTHZ_CONFIG); without one ./${defaultFile} if it is there, else the policies in ./policies`,
      singleFile,
    )
    .option("--set <key=value>", "override one setting; may be repeated", collect, [])
    .option(
      "--log-level <level>",
      "debug, info, warn or error: what the server logs, on standard error (default: server.logLevel, which is info)",
      logLevelOption,
    )
    .addOption(new Option("--timeout <duration>", "how long the server may take to start").argParser(durationOption).default(30_000, "30s"))
    .action(async (command: readonly string[], flags: RunFlags, self: Command) =>
      line.finish(await runWithServer(line, command, flags, self)),
    );
}

async function runWithServer(line: CommandLine, command: readonly string[], flags: RunFlags, self: Command): Promise<number> {
  if (command[0] === "") throw usageError(self, "the command to run is empty");
  const file = fileOf(line, flags, self);
  const { config, problems } = loadConfigOrThrow(file, flags.set, line.environment);
  // Only the default directory is created. One that is named may be misspelt, and an empty one would deny everything.
  const isDefault = config["storage.driver"] === "disk" && config["storage.disk.directory"] === settings["storage.disk.directory"].default;
  if (file === undefined && isDefault) mkdirSync(config["storage.disk.directory"], { recursive: true });

  // The server logs to standard error: standard output belongs to the command.
  const asked = line.environment["AUTHZ_LOG_LEVEL"];
  const level = decideLevel(asked, flags.logLevel, config["server.logLevel"]);
  const root = logTo({ write: line.err }, level);
  const log = logOf(root, "authz.run");
  for (const problem of problems) log.warn(`${problem.place}: ${problem.message}`);
  for (const warning of [...warningsOfFormerVariables(line.environment, variablesOfServer(file)), ...warningsOfLevel(asked)])
    log.warn(warning);
  const server = await startWithin(flags.timeout, config, root, line);
  try {
    return await runToEnd(line, command, addresses(config, server), log);
  } finally {
    await server.stop();
  }
}

function fileOf(line: CommandLine, flags: RunFlags, self: Command): string | undefined {
  if (flags.config !== undefined && !existsSync(flags.config))
    throw usageError(self, `the configuration file \`${flags.config}\` does not exist`);
  return configurationFile(flags.config, line.environment) ?? (existsSync(defaultFile) ? defaultFile : undefined);
}

async function startWithin(milliseconds: number, config: Config, log: Log, line: CommandLine): Promise<RunningServer> {
  let late = false;
  let timer: NodeJS.Timeout | undefined;
  const started = startServer(config, log, line.environment).then(async (server) => {
    if (late) await server.stop();
    return server;
  });
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      late = true;
      reject(refusal(`the server did not start within ${milliseconds / 1000} s (--timeout)`));
    }, milliseconds);
  });
  try {
    return await Promise.race([started, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the addresses of the server, as environment variables for the command. */
function addresses(config: Config, server: RunningServer): { readonly AUTHZ_HTTP: string; readonly AUTHZ_GRPC: string } {
  const scheme = config["server.tls.cert"] === "" ? "http" : "https";
  const http = clientHost(server.http);
  return { AUTHZ_HTTP: server.http.kind === "unix" ? http : `${scheme}://${http}`, AUTHZ_GRPC: clientHost(server.grpc) };
}

/** Runs the command and resolves to its exit code; 128 plus the signal number when a signal ended it. */
function runToEnd(line: CommandLine, command: readonly string[], found: { readonly [name: string]: string }, log: Log): Promise<number> {
  const [name = "", ...argv] = command;
  return new Promise((resolve) => {
    // Opened before the command is started, so that a signal which arrives at once is passed on too.
    const signals = forwardSignals();
    const child = spawn(name, argv, { stdio: "inherit", env: { ...line.environment, ...found } });
    signals.passTo(child);
    child.on("error", (error) => {
      if (child.pid !== undefined) return log.warn({ err: error }, "a signal could not be passed on");
      signals.close();
      line.err(`authz: error: \`${name}\` cannot be started: ${reasonOf(error)}\n`);
      resolve(exitCodes.noCommand);
    });
    child.once("exit", (code, signal) => {
      signals.close();
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}

function reasonOf(error: NodeJS.ErrnoException): string {
  if (error.code === "ENOENT") return "there is no such command";
  return error.code === "EACCES" ? "it is not executable" : messageOf(error);
}

const forwardedSignals = ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR2"] as const;

/** Passes signals on to the command instead of ending this process. */
function forwardSignals(): { readonly passTo: (child: ChildProcess) => void; readonly close: () => void } {
  let command: ChildProcess | undefined;
  // A terminal sends its interrupt to the command too; a second one would often mean "stop at once".
  const sentByTerminal: ReadonlySet<NodeJS.Signals> = new Set(process.stdin.isTTY ? ["SIGINT", "SIGQUIT"] : []);
  const forward = (signal: NodeJS.Signals): void => {
    // A command that could not be started has no process id, and `kill` without one would signal the whole group.
    if (!sentByTerminal.has(signal) && command?.pid !== undefined) command.kill(signal);
  };
  for (const signal of forwardedSignals) process.on(signal, forward);
  return {
    passTo: (child) => void (command = child),
    close: () => forwardedSignals.forEach((signal) => process.off(signal, forward)),
  };
}
