/** `authz admin store`: commands about the store as a whole. */
import { Command, InvalidArgumentError, Option } from "commander";
import { AuthzAdminService } from "../../../proto/gen/authz/svc/v1/svc_pb.js";
import type { CommandLine } from "../command.ts";
import { flagsOf, withClient } from "./connection.ts";
import { exportCommand } from "./export.ts";
import type { Tty } from "./tty.ts";

/** Describes the command. */
export const storeCommand = (line: CommandLine, tty: Tty): Command =>
  new Command("store")
    .description("reload the store, export it, or delete old revisions")
    .addCommand(exportCommand(line, tty))
    .addCommand(reloadCommand(line, tty))
    .addCommand(
      new Command("revisions")
        .description("delete the earlier versions of policies that a store keeps")
        .addCommand(purgeCommand(line, tty)),
    );

const reloadCommand = (line: CommandLine, tty: Tty): Command =>
  new Command("reload")
    .alias("r")
    .description("read the whole store again")
    .option("--wait", "wait until what was read is in force")
    .action(async (_flags: unknown, command: Command) => {
      const { wait = false } = flagsOf<{ readonly wait: boolean }>(command);
      line.out("Initiated a store reload\n");
      await withClient({ line, tty, command }, (client) => client.call(AuthzAdminService.method.reloadStore, { wait }));
      line.out(wait ? "Successfully reloaded the store\n" : "Reload request submitted\n");
    });

const purgeCommand = (line: CommandLine, tty: Tty): Command =>
  new Command("purge")
    .alias("p")
    .description("delete earlier revisions of policies and schemas")
    .addOption(new Option("--keep-last <n>", "how many of each are kept (default 0)").argParser(wholeNumber))
    .action(async (_flags: unknown, command: Command) => {
      const { keepLast = 0 } = flagsOf<{ readonly keepLast: number }>(command);
      const { affectedRows } = await withClient({ line, tty, command }, (client) =>
        client.call(AuthzAdminService.method.purgeStoreRevisions, { keepLast }),
      );
      line.out(`Number of rows affected is ${affectedRows}\n`);
    });

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("It must be a whole number.");
  return Number(text);
}
