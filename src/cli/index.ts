/** The command line: every command, in the order in which help shows them; argv in, exit code out. */
import { Command, CommanderError, Help } from "commander";
import { environment } from "../config/environment.ts";
import { isRefusal, messageOf } from "../refusal.ts";
import { adminCommand } from "./admin.ts";
import { compileCommand } from "./compile.ts";
import { configCommand } from "./config.ts";
import { healthcheckCommand } from "./healthcheck.ts";
import { exitCodes, type CommandLine } from "./command.ts";
import { examples } from "./examples.ts";
import { initCommand } from "./init.ts";
import { migrateCommand } from "./migrate.ts";
import { replCommand } from "./repl.ts";
import { runCommand } from "./run.ts";
import { schemaCommand } from "./schema.ts";
import { serverCommand } from "./server.ts";
import { versionCommand, versionText } from "./version.ts";

const commands = [
  initCommand,
  compileCommand,
  serverCommand,
  runCommand,
  replCommand,
  migrateCommand,
  schemaCommand,
  healthcheckCommand,
  adminCommand,
  configCommand,
  versionCommand,
] as const;

const ourProcess: Omit<CommandLine, "finish"> = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  terminal: process.stdout.isTTY,
  environment,
};

/** Runs a command and returns its exit code. */
export async function run(argv: readonly string[], line: Omit<CommandLine, "finish"> = ourProcess): Promise<number> {
  let code: number = exitCodes.ok;
  const program = new Command("authz")
    .description("Answers authorization questions from YAML policies.")
    .version(versionText(), "-V, --version", "print the version")
    .enablePositionalOptions() // what follows the command of `authz run` is its own
    .configureOutput({ writeOut: line.out, writeErr: line.err })
    .configureHelp({ optionDescription: (option) => new Help().optionDescription(option).replace(" (default: [])", "") })
    .showHelpAfterError("(authz --help says what there is)")
    .exitOverride();
  const finish = (given: number): void => void (code = given);
  for (const command of commands) program.addCommand(inherit(command({ ...line, finish }), program));
  showExamples(program, "authz");
  try {
    await program.parseAsync(argv, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    line.err(
      isRefusal(error)
        ? `authz: error: ${error.message}\n`
        : `authz: internal error: ${error instanceof Error ? (error.stack ?? messageOf(error)) : messageOf(error)}\n`,
    );
    return exitCodes.failed;
  }
}

function inherit(command: Command, program: Command): Command {
  for (const inner of command.commands) inherit(inner, program);
  return command.copyInheritedSettings(program);
}

function showExamples(command: Command, name: string): void {
  const lines = (examples[name] ?? []).map(([example, does]) => `  # ${does}\n  ${example}\n`);
  if (lines.length > 0) command.addHelpText("after", `\nExamples:\n${lines.join("\n")}`);
  for (const inner of command.commands) showExamples(inner, `${name} ${inner.name()}`);
}
