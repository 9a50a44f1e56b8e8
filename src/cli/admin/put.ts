/** `authz admin put`: uploads policies and schemas from files to the store. */
import { Command } from "commander";
import type { CommandLine } from "../command.ts";
import { flagsOf } from "./connection.ts";
import { putPolicies } from "./put-policies.ts";
import { putSchemas } from "./put-schemas.ts";
import type { Tty } from "./tty.ts";

interface PutFlags {
  readonly recursive?: boolean;
  readonly id?: string;
}

const recursive = ["-R, --recursive", "also read subfolders"] as const;

/** Describes the command. */
export const putCommand = (line: CommandLine, tty: Tty): Command =>
  new Command("put")
    .description("write policies or schemas into the store; those of the same name are replaced")
    .option(...recursive)
    .addCommand(
      new Command("policy")
        .aliases(["policies", "p"])
        .description("write policies, from YAML or JSON")
        .argument("<paths...>", "files, folders, or - for standard input")
        .option(...recursive)
        .action(async (paths: readonly string[], _flags: unknown, command: Command) =>
          putPolicies({ line, tty, command }, paths, flagsOf<PutFlags>(command).recursive === true),
        ),
    )
    .addCommand(
      new Command("schema")
        .aliases(["schemas", "s"])
        .description("write schemas, from JSON; the id of one in a folder is its path below the folder, or below its _schemas")
        .argument("<paths...>", "files, folders, or - for standard input")
        .option(...recursive)
        .option("--id <id>", "the id, if only one schema is written")
        .action(async (paths: readonly string[], _flags: unknown, command: Command) => {
          const { recursive = false, id } = flagsOf<PutFlags>(command);
          await putSchemas({ line, tty, command }, paths, { isRecursive: recursive, id });
        }),
    );
