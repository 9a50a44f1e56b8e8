/** Runs a command line: argv in, exit code out, for any set of commands. */
import { Command, CommanderError } from "commander";
import { environment } from "../config/environment.ts";
import { tooManyOpenFiles } from "../process/too-many-open-files.ts";
import { writeStandardOutput } from "../process/standard-output.ts";
import { isRefusal, messageOf } from "../refusal.ts";
import type { Tty } from "./admin/tty.ts";
import { exitCodes, type CommandLine } from "./command.ts";
import { helpLayout, showExamples } from "./help.ts";
import { withSuggestion } from "./suggest.ts";
import { versionText } from "./version.ts";

/** This process. */
export const ourProcess: Omit<CommandLine, "finish"> = {
  out: writeStandardOutput,
  err: (text) => void process.stderr.write(text),
  terminal: process.stdout.isTTY,
  environment,
};

/** Runs a program: arguments in, exit code out. */
export type Run = (argv: readonly string[], line?: Omit<CommandLine, "finish">, tty?: Tty) => Promise<number>;

/** Sets the description of `authz`, and its option `--version`: the commit is read from files only when it is asked for. */
export const describeAuthz = (program: Command): Command =>
  program
    .description("Answers authorization questions from YAML policies.")
    .option("-V, --version", "print the version")
    .on("option:version", () => {
      program.configureOutput().writeOut?.(`${versionText()}\n`);
      throw new CommanderError(exitCodes.ok, "commander.version", "version");
    });

/** Adds commands to a program. */
export type Describe = (program: Command, line: CommandLine) => Promise<void>;

/** Runs a program with the commands that `describe` adds. */
export async function runProgram(
  name: string,
  argv: readonly string[],
  line: Omit<CommandLine, "finish">,
  describe: Describe,
): Promise<number> {
  let code: number = exitCodes.ok;
  const program = new Command(name)
    .enablePositionalOptions() // Arguments after the command of `authz run` belong to that command.
    .configureOutput({ writeOut: line.out, writeErr: line.err })
    .configureHelp(helpLayout)
    .exitOverride();
  try {
    await describe(program, { ...line, finish: (given) => void (code = given) });
    explainUsageErrors(program, name, name);
    for (const command of program.commands) inherit(command, program, name, name);
    showExamples(program, name);
    await program.parseAsync(argv, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    const why = reasonFor(error);
    line.err(
      why === undefined
        ? `${name}: internal error: ${error instanceof Error ? (error.stack ?? messageOf(error)) : messageOf(error)}\n`
        : `${name}: error: ${why}\n`,
    );
    return exitCodes.failed;
  }
}

/** Returns what the operator is told of an error; undefined for a bug of ours. */
function reasonFor(error: unknown): string | undefined {
  const tooMany = tooManyOpenFiles(error);
  if (!isRefusal(error)) return tooMany;
  // A refusal names the system's error, which does not say what to do.
  return tooMany === undefined || error.message.includes(tooMany) ? error.message : `${error.message}: ${tooMany}`;
}

/** Applies the program's settings to a command and its subcommands; on a usage error, it points to its own help. */
function inherit(command: Command, program: Command, programName: string, parents: string): void {
  const name = `${parents} ${command.name()}`;
  explainUsageErrors(command.copyInheritedSettings(program), programName, name);
  for (const inner of command.commands) inherit(inner, program, programName, name);
}

/** On a usage error, a command suggests what was meant, and points to its own help. */
function explainUsageErrors(command: Command, programName: string, name: string): void {
  command
    .showHelpAfterError(`(see ${name} --help)`)
    .configureOutput({ outputError: (text, write) => write(`${programName}: ${withSuggestion(text, command, name)}`) });
}
