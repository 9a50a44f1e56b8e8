/** The command line: every command, in the order in which help shows them; argv in, exit code out. */
import { Command, CommanderError, Help } from "commander";
import { environment } from "../config/environment.ts";
import { isRefusal, messageOf } from "../refusal.ts";
import type { Seat } from "./admin/seat.ts";
import { exitCodes, type CommandLine } from "./command.ts";
import { examples } from "./examples.ts";
import { versionText } from "./version.ts";

/** Each is read when it is asked for: nobody who compiles a folder waits for what a server needs. */
const commands: readonly { readonly name: string; readonly read: () => Promise<(line: CommandLine) => Command> }[] = [
  { name: "init", read: async () => (await import("./init.ts")).initCommand },
  { name: "compile", read: async () => (await import("./compile.ts")).compileCommand },
  { name: "compile-store", read: async () => (await import("./compile-store.ts")).compileStoreCommand },
  { name: "golden", read: async () => (await import("./golden.ts")).goldenCommand },
  { name: "build", read: async () => (await import("./build.ts")).buildCommand },
  { name: "bundle", read: async () => (await import("./bundle.ts")).bundleCommand },
  { name: "types", read: async () => (await import("./types.ts")).typesCommand },
  { name: "server", read: async () => (await import("./server.ts")).serverCommand },
  { name: "run", read: async () => (await import("./run.ts")).runCommand },
  { name: "repl", read: async () => (await import("./repl.ts")).replCommand },
  { name: "migrate", read: async () => (await import("./migrate.ts")).migrateCommand },
  { name: "schema", read: async () => (await import("./schema.ts")).schemaCommand },
  { name: "healthcheck", read: async () => (await import("./healthcheck.ts")).healthcheckCommand },
  { name: "admin", read: async () => (await import("./admin/index.ts")).adminCommand },
  { name: "config", read: async () => (await import("./config.ts")).configCommand },
  { name: "version", read: async () => (await import("./version.ts")).versionCommand },
];

const ourProcess: Omit<CommandLine, "finish"> = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  terminal: process.stdout.isTTY,
  environment,
};

/** What runs a command, and how: the command line's arguments in, the exit code out. */
export type Run = (argv: readonly string[], line?: Omit<CommandLine, "finish">, seat?: Seat) => Promise<number>;

/** Runs `authz`. */
export const run: Run = (argv, line = ourProcess) =>
  runProgram("authz", argv, line, async (program, line) => {
    program.description("Answers authorization questions from YAML policies.").version(versionText(), "-V, --version", "print the version");
    const [name = ""] = argv;
    if (name === "--version" || name === "-V") return; // what there is does not matter
    const asked = commands.filter((command) => command.name === name);
    for (const { read } of asked.length > 0 ? asked : commands) program.addCommand((await read())(line));
  });

/** Runs `authzctl`: what `authz admin` is, under a name of its own. */
export const runControl: Run = (argv, line = ourProcess, seat) =>
  runProgram("authzctl", argv, line, async (program, line) => {
    const { addAdminCommands } = await import("./admin/index.ts");
    addAdminCommands(program, line, seat);
  });

type Describe = (program: Command, line: CommandLine) => Promise<void>;

async function runProgram(name: string, argv: readonly string[], line: Omit<CommandLine, "finish">, describe: Describe): Promise<number> {
  let code: number = exitCodes.ok;
  const program = new Command(name)
    .enablePositionalOptions() // what follows the command of `authz run` is its own
    .configureOutput({ writeOut: line.out, writeErr: line.err })
    .configureHelp({ optionDescription: (option) => new Help().optionDescription(option).replace(" (default: [])", "") })
    .showHelpAfterError(`(${name} --help says what there is)`)
    .exitOverride();
  await describe(program, { ...line, finish: (given) => void (code = given) });
  for (const command of program.commands) inherit(command, program);
  showExamples(program, name);
  try {
    await program.parseAsync(argv, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    line.err(
      isRefusal(error)
        ? `${name}: error: ${error.message}\n`
        : `${name}: internal error: ${error instanceof Error ? (error.stack ?? messageOf(error)) : messageOf(error)}\n`,
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
