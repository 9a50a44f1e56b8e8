/** `authz admin put`: writes policies and schemas of files into the store. */
import { Command } from "commander";
import type { CommandLine } from "../command.ts";
import { flagsOf } from "./connection.ts";
import { putPolicies } from "./put-policies.ts";
import { putSchemas } from "./put-schemas.ts";
import type { Seat } from "./seat.ts";

interface PutFlags {
  readonly recursive?: boolean;
  readonly id?: string;
}

const recursive = ["-R, --recursive", "folders with all that lies below them"] as const;

/** Describes the command. */
export const putCommand = (line: CommandLine, seat: Seat): Command =>
  new Command("put")
    .description("write policies or schemas into the store, over those of the same name")
    .option(...recursive)
    .addCommand(
      new Command("policy")
        .aliases(["policies", "p"])
        .description("policies, from YAML or JSON")
        .argument("<paths...>", "files, folders, or - for standard input")
        .option(...recursive)
        .action(async (paths: readonly string[], _flags: unknown, command: Command) =>
          putPolicies({ line, seat, command }, paths, flagsOf<PutFlags>(command).recursive === true),
        ),
    )
    .addCommand(
      new Command("schema")
        .aliases(["schemas", "s"])
        .description("schemas, from JSON; in a folder the path below it, or below its _schemas, is the id")
        .argument("<paths...>", "files, folders, or - for standard input")
        .option(...recursive)
        .option("--id <id>", "what the schema is called, when it is only one")
        .action(async (paths: readonly string[], _flags: unknown, command: Command) => {
          const { recursive = false, id } = flagsOf<PutFlags>(command);
          await putSchemas({ line, seat, command }, paths, { isRecursive: recursive, id });
        }),
    );
