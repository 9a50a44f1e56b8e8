/** The commands that authors of policies run over and over, each imported when it is asked for. */
import type { Command } from "commander";
import type { AuthoringName } from "./authoring-names.ts";
import type { CommandLine } from "./command.ts";

/** Imports a command. */
export type ImportCommand = () => Promise<(line: CommandLine) => Command>;

/** Each of them by its name. */
export const authoringCommands: Readonly<Record<AuthoringName, ImportCommand>> = {
  compile: async () => (await import("./compile.ts")).compileCommand,
  golden: async () => (await import("./golden.ts")).goldenCommand,
  build: async () => (await import("./build.ts")).buildCommand,
  types: async () => (await import("./types.ts")).typesCommand,
  repl: async () => (await import("./repl.ts")).replCommand,
};
