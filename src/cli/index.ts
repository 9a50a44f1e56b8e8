/** The command line: all commands, in the order of the help; argv in, exit code out. */
import { authoringCommands, type ImportCommand } from "./authoring-commands.ts";
import { describeAuthz, ourProcess, runProgram, type Run } from "./run-program.ts";

/** Commands are imported on demand, so that `compile` does not load what a server needs. */
const commands: readonly { readonly name: string; readonly read: ImportCommand }[] = [
  { name: "init", read: async () => (await import("./init.ts")).initCommand },
  { name: "compile", read: authoringCommands.compile },
  { name: "compile-store", read: async () => (await import("./compile-store.ts")).compileStoreCommand },
  { name: "golden", read: authoringCommands.golden },
  { name: "build", read: authoringCommands.build },
  { name: "bundle", read: async () => (await import("./bundle.ts")).bundleCommand },
  { name: "types", read: authoringCommands.types },
  { name: "server", read: async () => (await import("./server.ts")).serverCommand },
  { name: "run", read: async () => (await import("./run.ts")).runCommand },
  { name: "repl", read: authoringCommands.repl },
  { name: "migrate", read: async () => (await import("./migrate.ts")).migrateCommand },
  { name: "schema", read: async () => (await import("./schema.ts")).schemaCommand },
  { name: "healthcheck", read: async () => (await import("./healthcheck.ts")).healthcheckCommand },
  { name: "admin", read: async () => (await import("./admin/index.ts")).adminCommand },
  { name: "config", read: async () => (await import("./config.ts")).configCommand },
  { name: "version", read: async () => (await import("./version.ts")).versionCommand },
];

/** Runs `authz`. */
export const run: Run = (argv, line = ourProcess) =>
  runProgram("authz", argv, line, async (program, line) => {
    describeAuthz(program);
    const [name = ""] = argv;
    if (name === "--version" || name === "-V") return; // `--version` needs no commands.
    const asked = commands.filter((command) => command.name === name);
    for (const { read } of asked.length > 0 ? asked : commands) program.addCommand((await read())(line));
  });

/** Runs `authzctl`, which has the commands of `authz admin`. */
export const runControl: Run = (argv, line = ourProcess, tty) =>
  runProgram("authzctl", argv, line, async (program, line) => {
    const { addAdminCommands } = await import("./admin/index.ts");
    addAdminCommands(program, line, tty);
  });
