/** `authz run -- COMMAND`: runs a command in the company of a server, and exits as the command does. */
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { constants } from "node:os";
import { Command, Option } from "commander";
import { configurationFile, demandConfig } from "../config/load.ts";
import { settings, type Config } from "../config/settings.ts";
import type { LogLevel } from "../config/type.ts";
import { decideLevel, logOf, logTo, type Log } from "../observe/log.ts";
import { messageOf, refusal } from "../refusal.ts";
import { clientHost } from "../server/connections/listen.ts";
import { startServer, type RunningServer } from "../server/start/start.ts";
import { collect, durationOption, exitCodes, logLevelOption, misuse, type CommandLine } from "./command.ts";

interface RunFlags {
  readonly config?: string;
  readonly set: readonly string[];
  readonly logLevel?: LogLevel;
  readonly timeout: number;
}

/** The file that is taken up where nothing else is said. */
const usualFile = ".authz.yaml";

/** Describes the command. */
export function runCommand(line: CommandLine): Command {
  return new Command("run")
    .description("start a server, run a command beside it, and stop the server when the command ends")
    .argument("<command...>", "the command and its arguments; AUTHZ_HTTP and AUTHZ_GRPC tell it the addresses of the server")
    .passThroughOptions()
    .option(
      "--config <file>",
      `configuration file (AUTHZ_CONFIG); without one ./${usualFile} if it is there, else the policies in ./policies`,
    )
    .option("--set <key=value>", "override one setting; may be repeated", collect, [])
    .option("--log-level <level>", "debug, info, warn or error: what the server logs, on standard error", logLevelOption)
    .addOption(new Option("--timeout <duration>", "how long the server may take to start").argParser(durationOption).default(30_000, "30s"))
    .action(async (command: readonly string[], flags: RunFlags, self: Command) =>
      line.finish(await runInCompany(line, command, flags, self)),
    );
}

async function runInCompany(line: CommandLine, command: readonly string[], flags: RunFlags, self: Command): Promise<number> {
  if (command[0] === "") throw misuse(self, "the command to run is empty");
  const file = fileOf(line, flags, self);
  const { config, problems } = demandConfig(file, flags.set, line.environment);
  // A folder that somebody names may be mistyped: made, it would deny everything.
  const isUsual = config["storage.driver"] === "disk" && config["storage.disk.directory"] === settings["storage.disk.directory"].default;
  if (file === undefined && isUsual) mkdirSync(config["storage.disk.directory"], { recursive: true });

  // What the command writes to standard output stays its own.
  const level = decideLevel(line.environment["AUTHZ_LOG_LEVEL"], flags.logLevel, config["server.logLevel"]);
  const root = logTo({ write: line.err }, level);
  const log = logOf(root, "authz.run");
  for (const problem of problems) log.warn(`${problem.place}: ${problem.message}`);
  const server = await startWithin(flags.timeout, config, root, line);
  try {
    return await finished(line, command, addresses(config, server), log);
  } finally {
    await server.stop();
  }
}

function fileOf(line: CommandLine, flags: RunFlags, self: Command): string | undefined {
  if (flags.config !== undefined && !existsSync(flags.config))
    throw misuse(self, `the configuration file \`${flags.config}\` does not exist`);
  return configurationFile(flags.config, line.environment) ?? (existsSync(usualFile) ? usualFile : undefined);
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

/** Where the command finds the server. */
function addresses(config: Config, server: RunningServer): { readonly AUTHZ_HTTP: string; readonly AUTHZ_GRPC: string } {
  const scheme = config["server.tls.cert"] === "" ? "http" : "https";
  const http = clientHost(server.http);
  return { AUTHZ_HTTP: server.http.kind === "unix" ? http : `${scheme}://${http}`, AUTHZ_GRPC: clientHost(server.grpc) };
}

/** Runs the command to its end and returns the code to exit with: its own, or 128 and the number of the signal that ended it. */
function finished(line: CommandLine, command: readonly string[], found: { readonly [name: string]: string }, log: Log): Promise<number> {
  const [name = "", ...argv] = command;
  return new Promise((resolve) => {
    // Before the command is there to be asked for anything: a signal that comes at once is for it already.
    const signals = openSignals();
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

const passed = ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR2"] as const;

/** Hands signals to the command instead of ending by them. */
function openSignals(): { readonly passTo: (child: ChildProcess) => void; readonly close: () => void } {
  let command: ChildProcess | undefined;
  // A terminal sends its interrupt to the command by itself; twice would mean "at once" to many.
  const byTerminal: ReadonlySet<NodeJS.Signals> = new Set(process.stdin.isTTY ? ["SIGINT", "SIGQUIT"] : []);
  const pass = (signal: NodeJS.Signals): void => {
    // What could not be started has no number, and a signal to none would go to the whole group.
    if (!byTerminal.has(signal) && command?.pid !== undefined) command.kill(signal);
  };
  for (const signal of passed) process.on(signal, pass);
  return {
    passTo: (child) => void (command = child),
    close: () => passed.forEach((signal) => process.off(signal, pass)),
  };
}
