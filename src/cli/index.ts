/** The command line: every command, in the order in which help shows them; argv in, exit code out. */
import { Command, CommanderError } from "commander";
import { environment } from "../config/environment.ts";
import { isRefusal, messageOf } from "../refusal.ts";
import { compileCommand } from "./compile.ts";
import { configCommand } from "./config.ts";
import { healthcheckCommand } from "./healthcheck.ts";
import { exitCodes, type CommandLine } from "./command.ts";
import { migrateCommand } from "./migrate.ts";
import { replCommand } from "./repl.ts";
import { schemaCommand } from "./schema.ts";
import { serverCommand } from "./server.ts";
import { versionCommand } from "./version.ts";

const commands = [
  serverCommand,
  compileCommand,
  replCommand,
  migrateCommand,
  schemaCommand,
  healthcheckCommand,
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
    .configureOutput({ writeOut: line.out, writeErr: line.err })
    .showHelpAfterError("(authz --help says what there is)")
    .exitOverride();
  const finish = (given: number): void => void (code = given);
  for (const command of commands) program.addCommand(inherit(command({ ...line, finish }), program));
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
