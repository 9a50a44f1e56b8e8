/** `authz admin`, also installed as `authzctl`: all administration commands, in the order of the help. */
import { Command } from "commander";
import type { CommandLine } from "../command.ts";
import { auditCommand } from "./audit.ts";
import { deleteCommand, disableCommand, enableCommand } from "./change.ts";
import { addConnectionOptions } from "./connection.ts";
import { decisionsCommand } from "./decisions.ts";
import { getCommand } from "./get.ts";
import { hashPasswordCommand } from "./hash-password.ts";
import { inspectCommand } from "./inspect.ts";
import { putCommand } from "./put.ts";
import { processTty, type Tty } from "./tty.ts";
import { storeCommand } from "./store.ts";
import { adminVersionCommand } from "./version.ts";

/** The commands that connect to a server. */
const commands = [
  getCommand,
  putCommand,
  deleteCommand,
  disableCommand,
  enableCommand,
  inspectCommand,
  storeCommand,
  auditCommand,
  decisionsCommand,
  adminVersionCommand,
] as const;

const description = "Administers a server: its policies, its schemas, its store and its audit log.";

/** Describes `authz admin`. */
export const adminCommand = (line: CommandLine, tty: Tty = processTty): Command =>
  addAdminCommands(new Command("admin"), line, tty).description("administer a server: policies, schemas, store and audit log");

/** Adds the administration commands to a program. */
export function addAdminCommands(program: Command, line: CommandLine, tty: Tty = processTty): Command {
  for (const command of commands) program.addCommand(withConnection(command(line, tty)));
  program.addCommand(hashPasswordCommand(line, tty));
  return addConnectionOptions(program).description(description);
}

/** Adds the connection options at every level, so that their position does not matter. */
function withConnection(command: Command): Command {
  for (const inner of command.commands) withConnection(inner);
  return addConnectionOptions(command);
}
