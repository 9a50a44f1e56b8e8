/** The command line: all commands, in the order of the help; argv in, exit code out. */
import { Command } from "commander";
import { authoringCommands, type ImportCommand } from "./authoring-commands.ts";
import { describeAuthz, ourProcess, runProgram, type Run } from "./run-program.ts";

/** A command, and how the help lists it: the same as the command says of itself, up to the first semicolon (a test compares). */
interface Listed {
  readonly name: string;
  readonly alias?: string;
  readonly form?: string;
  readonly summary: string;
  readonly read: ImportCommand;
}

/** Commands are imported on demand, so that `compile` does not load what a server needs, and the help loads none. */
const commands: readonly Listed[] = [
  {
    name: "init",
    form: "[directory]",
    summary: "write a policy, its test, a configuration file and a CI workflow to start from",
    read: async () => (await import("./init.ts")).initCommand,
  },
  {
    name: "compile",
    form: "<directory>",
    summary: "compile a folder of policies, print every problem, and run the tests beside them",
    read: authoringCommands.compile,
  },
  {
    name: "compile-store",
    summary: "compile what the configured store holds, as a server would at its start, and print every problem",
    read: async () => (await import("./compile-store.ts")).compileStoreCommand,
  },
  { name: "golden", summary: "record what policies decide, and see when it changes", read: authoringCommands.golden },
  {
    name: "build",
    form: "<directory>",
    summary:
      "compile a folder of policies to one file, the same bytes wherever it is built: a bundle for servers with `storage.driver: bundle`, or a module for your own program",
    read: authoringCommands.build,
  },
  {
    name: "bundle",
    summary: "make signing keys, and sign, verify, compare and inspect bundles",
    read: async () => (await import("./bundle.ts")).bundleCommand,
  },
  {
    name: "types",
    form: "<directory>",
    summary: "write TypeScript declarations of the kinds, actions, roles and attributes in policies, so that a wrong one fails `tsc`",
    read: authoringCommands.types,
  },
  { name: "server", summary: "serve decisions over HTTP and gRPC", read: async () => (await import("./server.ts")).serverCommand },
  {
    name: "run",
    form: "<command...>",
    summary: "start a server, run a command beside it, and stop the server when the command ends",
    read: async () => (await import("./run.ts")).runCommand,
  },
  { name: "repl", form: "[directory]", summary: "try CEL expressions on a request, as policies would", read: authoringCommands.repl },
  {
    name: "migrate",
    form: "<directory>",
    summary: "rewrite `api.cerbos.dev/v1` and `cerbos:///` in a folder of policies, and nothing else",
    read: async () => (await import("./migrate.ts")).migrateCommand,
  },
  {
    name: "schema",
    form: "<what>",
    summary: "print a JSON Schema that lets editors check and complete policies, test suites, fixtures and configuration files",
    read: async () => (await import("./schema.ts")).schemaCommand,
  },
  {
    name: "healthcheck",
    alias: "hc",
    summary: "check the health of a server",
    read: async () => (await import("./healthcheck.ts")).healthcheckCommand,
  },
  {
    name: "admin",
    summary: "administer a server: policies, schemas, store and audit log",
    read: async () => (await import("./admin/index.ts")).adminCommand,
  },
  {
    name: "config",
    summary: "check a configuration file, or print the configuration in force",
    read: async () => (await import("./config.ts")).configCommand,
  },
  { name: "version", summary: "print the version, as --version does", read: async () => (await import("./version.ts")).versionCommand },
];

const isCommand = (word: string | undefined): boolean => commands.some(({ name, alias }) => word === name || word === alias);

/** Runs `authz`. */
export const run: Run = (argv, line = ourProcess) =>
  runProgram("authz", argv, line, async (program, line) => {
    describeAuthz(program);
    const [first = "", second] = argv;
    if (first === "--version" || first === "-V") return; // `--version` needs no commands.
    const named = first === "help" ? second : first;
    const asked = commands.filter(({ name, alias }) => named === name || named === alias);
    // Where no word is the name of a command, none can be run.
    if (!argv.some(isCommand)) for (const listed of commands) program.addCommand(outlineOf(listed));
    else for (const { read } of asked.length > 0 ? asked : commands) program.addCommand((await read())(line));
  });

/** A command as far as the help of the program, and what is said of an unknown command, need it. */
function outlineOf({ name, alias, form, summary }: Listed): Command {
  const outline = new Command(name).description(summary);
  if (form !== undefined) outline.arguments(form);
  return alias === undefined ? outline : outline.alias(alias);
}

/** Runs `authzctl`, which has the commands of `authz admin`. */
export const runControl: Run = (argv, line = ourProcess, tty) =>
  runProgram("authzctl", argv, line, async (program, line) => {
    const { addAdminCommands } = await import("./admin/index.ts");
    addAdminCommands(program, line, tty);
  });
